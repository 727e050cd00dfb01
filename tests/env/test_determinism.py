"""One seed, one game: whatever the batch, the threads, the way of playing, and with the compiler off."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import CHANCE_PLAYER, Chance
from ursuppe_env.rules.ruleset import EDITIONS, SWITCHES

PLENTY = dict.fromkeys(GENE_NAMES, 6)
#: Every switch against the edition.
TURNED = {edition: {name: not getattr(Ruleset(edition=edition), name) for name in SWITCHES} for edition in EDITIONS}
RULESETS = [
    pytest.param(Ruleset(), id="1998"),
    pytest.param(Ruleset(players=3, edition="1997"), id="1997"),
    pytest.param(Ruleset(players=6, start_bp=60, income=40, start_food=1, cards=PLENTY), id="rich"),
    pytest.param(Ruleset(players=5, start_bp=60, income=40, cards=PLENTY, **TURNED["1998"]), id="switches"),
]
LARGEST = 4096


def digest(states: np.ndarray) -> str:
    return hashlib.sha256(states.tobytes()).hexdigest()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_game_is_the_same_in_batches_of_1_64_and_4096(ruleset: Ruleset):
    many = Games(LARGEST, ruleset, seed=7)
    many.play_random()
    some = Games(64, ruleset, seed=7)
    some.play_random()
    assert digest(some.state) == digest(many.state[:64])
    for game in (0, 1, 63, 64, 2047, 2048, LARGEST - 1):
        alone = Games(1, ruleset, seed=7, index=[game])
        while not alone.finished[0]:
            alone.step_random()
        assert digest(alone.state) == digest(many.state[game : game + 1])


@pytest.mark.parametrize("ruleset", RULESETS[::2])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_any_game(ruleset: Ruleset, threads: int):
    games, alone = Games(LARGEST, ruleset, seed=8, threads=threads), Games(LARGEST, ruleset, seed=8, threads=1)
    for _ in range(3):
        assert (games.play_random(60, restart=True) == alone.play_random(60, restart=True)).all()
        assert (games.step_random() == alone.step_random()).all()
        actions = np.where(alone.finished, -1, alone.legal().argmax(axis=1))
        games.step(actions)
        alone.step(actions)
        masks, expected = games.legal(), alone.legal()
        assert (masks == expected).all()
        for dtype in (np.float32, np.float16, np.uint8):
            masks[:] = 7
            seen = games.observe(rules=True, dtype=dtype, masks=masks)
            assert seen.tobytes() == alone.observe(rules=True, dtype=dtype).tobytes()
            assert (masks == expected).all()
        games.reset(mask=np.arange(LARGEST) % 3 == 0)
        alone.reset(mask=np.arange(LARGEST) % 3 == 0)
        assert digest(games.state) == digest(alone.state)


GAMES_WITH_CHOICES = """
import hashlib
import numpy as np
from numba import config
from ursuppe_agents import make_agent
from ursuppe_env import Games, Ruleset

def played(players, edition, changes, steps):
    games = Games(1, Ruleset(players=players, edition=edition, **changes), seed=2, explicit_chance=True, threads=1)
    actions, hunter = [], make_agent("hunter", 0)
    for _ in range(steps):
        games.draw()
        actions.append(hunter.act(games, np.flatnonzero(games.player >= 0)).tolist() + games.step_random().tolist())
    seen = games.legal().tobytes() + games.observe().tobytes()
    games.play_random()
    return [hashlib.sha256(part).hexdigest() for part in (repr(actions).encode(), seen, games.state.tobytes())]
"""
# As much of everything as records.md allows: small integers that overflowed would do so otherwise than compiled ones.
MUCH = {
    **dict.fromkeys(("start_bp", "income", "excretion", "death_food", "kill_food", "first_damage"), 99),
    **dict.fromkeys(("deadly_damage", "long_life_damage", "ray_protection_payment"), 99),
    **{"cubes": 120, "start_food": 6, "carry": 9, "end_zone": 250, "environment": [["west", 99], ["none", 0]] * 16},
    **{"mutation_points": PLENTY | {"speed": 99, "ray_protection": -9}, "cards": dict.fromkeys(PLENTY, 99)},
}
COMPILED_OR_NOT = [
    (4, "1998", {}, 60),
    (3, "1997", {}, 60),
    (5, "1997", {"start_bp": 60, "income": 40, "start_food": 1, "cards": PLENTY}, 250),
    (6, "1998", {"start_bp": 60, "income": 40, "cards": PLENTY}, 250),
    (6, "1998", MUCH, 60),
    (5, "1997", {"start_bp": 60, "income": 40, "cards": PLENTY, **TURNED["1997"]}, 250),
    (6, "1998", MUCH | TURNED["1998"], 60),
]


def test_with_the_compiler_off_the_games_are_the_same():
    namespace: dict = {}
    exec(GAMES_WITH_CHOICES, namespace)
    compiled = [namespace["played"](*game) for game in COMPILED_OR_NOT]
    code = (
        f"{GAMES_WITH_CHOICES}\nassert config.DISABLE_JIT\nfor game in {COMPILED_OR_NOT!r}:\n    print(*played(*game))"
    )
    command, environment = [sys.executable, "-W", "error", "-c", code], {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split() for line in done.stdout.splitlines()] == compiled


def chance_by_kind(index: int, player: int) -> dict[str, list]:
    """What is drawn in game ``index`` of seed 5 when this player takes the last legal action, the others any."""
    games = Games(1, Ruleset(players=5, start_bp=60, income=40, cards=PLENTY), 5, [index], explicit_chance=True)
    choices = np.random.default_rng(player)
    drawn: dict[str, list] = {"die": [], "card": [], "start_order": [], "fight": []}
    while not games.finished[0]:
        if games.player[0] == CHANCE_PLAYER:
            name = Chance(games.state["node"][0]).name.lower()
            (value,) = games.draw()
            if name == "dice":  # its first die is the one that a single die would have shown
                name, value = "die", value[0]
            drawn[name].append(value)
        else:
            legal = np.flatnonzero(games.legal()[0])
            games.step([legal[-1] if games.player[0] == player else choices.choice(legal)])
    return drawn


def test_rows_with_the_same_index_share_their_dice_whatever_is_played():
    """The n-th card, die and fight are the same, however many of the other kinds came before."""
    first, second, other = chance_by_kind(5, player=0), chance_by_kind(5, player=1), chance_by_kind(4, player=1)
    for name in ("die", "card", "start_order", "fight"):
        shared = min(len(first[name]), len(second[name]))
        assert first[name][:shared] == second[name][:shared]
    assert min(len(first["die"]), len(second["die"])) > 20
    assert len(first["die"]) != len(second["die"])
    assert second["die"] != other["die"]
    assert second["card"] != other["card"]
