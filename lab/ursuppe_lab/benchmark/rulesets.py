"""Lists of rulesets to train on and to test, by the distribution of varied rulesets.

Of the rulesets to train on every third has an eighth of its fields changed, the next one a quarter, the next one half;
two switches and four prices are as printed in all of them. What is tested are three shells: ``near``, of which an
eighth of the fields is changed, ``far``, of which half of them is, and ``changed``: as ``near``, but with other values
of those six fields. A seed gives the lists; a test says that no ruleset of a shell is within two fields of one to train
on, and that random play ends in none of them before round 3.
"""

import json
from functools import cache
from itertools import cycle, islice

import numpy as np

from ursuppe_agents.policies.rulesets import NUM_VARIED, SHARES, varied_ruleset
from ursuppe_env import Ruleset
from ursuppe_env.rules.genes import GENE_NAMES

TRAIN, CHANGED = "train", "changed"
NEAR_TO_TRAIN_ON = slice(None, None, len(SHARES))  # which of those to train on have as much changed as ``near``
#: How many rulesets a shell has, and which share of their fields is changed.
SHELLS = {"near": (22, SHARES[0]), "far": (21, SHARES[-1]), CHANGED: (21, SHARES[0])}
#: The six fields that training does not see changed.
SWITCHES = ("free_stay", "hungry_aggressor")
PRICES = ("spores", "speed", "struggle_for_survival", "division_rate")
_STEPS = (-3, -2, 2, 3)  # of a changed price from the printed one


@cache
def ruleset_lists(players: int, seed: int) -> dict[str, tuple[Ruleset, ...]]:
    """The rulesets by their list: ``train``, 1,024 of them, and the 64 of the three shells; the same for a seed."""
    generator = np.random.default_rng(seed)
    shares = islice(cycle(SHARES), NUM_VARIED)
    lists = {TRAIN: tuple(_with_six(varied_ruleset(players, generator, share)) for share in shares)}
    for shell, (count, share) in SHELLS.items():
        changing = generator if shell == CHANGED else None
        lists[shell] = tuple(_with_six(varied_ruleset(players, generator, share), changing) for _ in range(count))
    return lists


def encoded_lists(lists: dict[str, tuple[Ruleset, ...]]) -> bytes:
    """The content of a JSON file: by list the arguments of ``Ruleset.from_changes`` of each ruleset."""
    content = {
        name: [{"players": one.players, "edition": one.edition, "changes": one.changes()} for one in found]
        for name, found in lists.items()
    }
    return (json.dumps(content) + "\n").encode()


def _with_six(ruleset: Ruleset, changing: np.random.Generator | None = None) -> Ruleset:
    """The ruleset with the six fields as printed; or with other values of them, drawn from this generator."""
    printed = Ruleset(players=ruleset.players, edition=ruleset.edition)
    price = {gene: printed.price[GENE_NAMES.index(gene)] for gene in PRICES}
    switches = {name: getattr(printed, name) for name in SWITCHES}
    if changing is not None:
        price = {gene: max(number + int(changing.choice(_STEPS)), 0) for gene, number in price.items()}
        switches = {name: not switch for name, switch in switches.items()}
    return ruleset.replace(price=price, **switches)
