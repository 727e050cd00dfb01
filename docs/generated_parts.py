"""The parts of the documentation that are made from the code: ``python docs/generated_parts.py`` writes them.

A page says where such a part stands; what is between these two lines is replaced::

    <!-- generated: observation -->
    <!-- end -->

In the reference (``api/``) nothing stands between them: the site fills it in (``hooks.py``).
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from ursuppe_agents.policies.rulesets import NUM_ENVIRONMENT_CARDS, NUMBERS_THAT_VARY
from ursuppe_env.files import write_atomically
from ursuppe_env.observation import index_table, observation_size, rules_index_table
from ursuppe_env.rules.actions import actions_for
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, NUMBERS, PER_GENE, PRESETS, SWITCHES, Ruleset
from ursuppe_env.rules.state import FIELDS
from ursuppe_lab.benchmark import table_of, task_named, task_names

_OWN_TABLES = ("ladder4-v1", "think4-v1", "rules4-v1", "logs4-v1", "exploit4-v1")
_PART = re.compile(r"(<!-- generated: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)
_PLAYERS = range(MIN_PLAYERS, MAX_PLAYERS + 1)


def fill(page: str) -> str:
    """The page with all its generated parts made anew.

    Raises:
        ValueError: the page asks for a part that does not exist.
    """
    return _PART.sub(lambda match: f"{match[1]}\n{_part(match[2])}\n\n{match[3]}", page)


def _part(name: str) -> str:
    if name not in PARTS:
        raise ValueError(f"there is no generated part {name!r}; known are {', '.join(PARTS)}")
    return PARTS[name]()


def _table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _sizes() -> str:
    """What the spaces of the environments depend on."""
    rows: list[tuple[Any, ...]] = [
        (players, len(actions_for(players)), observation_size(players)) for players in _PLAYERS
    ]
    return _table(("players P", "actions A", "observation F"), rows)


def _observation() -> str:
    """The parts of an observation, with their indices for each number of players."""
    tables = [index_table(players).splitlines()[2:] for players in _PLAYERS]
    by_players = [[line.strip("| ").split(" | ") for line in lines] for lines in tables]
    rows: list[tuple[Any, ...]] = []
    for same_part in zip(*by_players, strict=True):
        indices, names, shapes, units, meanings = zip(*same_part, strict=True)
        rows.append((*set(names), " × ".join(_axes(shapes)), ", ".join(dict.fromkeys(units)), *indices, *set(meanings)))
    return _table(("name", "shape", "1.0 is", *(f"{players} players" for players in _PLAYERS), "meaning"), rows)


def _axes(shapes: tuple[str, ...]) -> list[str]:
    """Their lengths; P where that is the number of players."""
    lengths = zip(*(shape.split(" x ") for shape in shapes), strict=True)
    players = tuple(map(str, _PLAYERS))
    return ["P" if axis == players else ", ".join(dict.fromkeys(axis)) for axis in lengths]


def _actions() -> str:
    """The ids of all actions for each number of players; those that begin with the same word in one row.

    Actions of a single word have the same ids for all players and share the first row.
    """
    words = {players: [text.split()[0] for text in actions_for(players).texts(0)] for players in _PLAYERS}
    texts_of = {
        word: [f"`{text}`" for text in actions_for(4).texts(0) if text.split()[0] == word]
        for word in dict.fromkeys(words[4])
    }
    single = [texts[0] for texts in texts_of.values() if len(texts) == 1]
    rows: list[tuple[Any, ...]] = [(", ".join(single), *(_range(range(len(single)), "–") for _ in _PLAYERS))]
    for word, texts in texts_of.items():
        if len(texts) > 1:
            ids = [(its_words.index(word), its_words.count(word)) for its_words in words.values()]
            rows.append((_range(texts, " … "), *(_range(range(first, first + count), "–") for first, count in ids)))
    return _table(("actions of player 0 of 4", *(f"{players} players" for players in _PLAYERS)), rows)


def _range(values: Sequence[Any], between: str) -> str:
    """The first and the last one, or the only one."""
    return str(values[0]) if len(values) == 1 else f"{values[0]}{between}{values[-1]}"


def _ruleset_fields() -> str:
    """The fields of a ruleset."""
    return _table(
        ("field", "printed", "limits", "meaning"),
        [(f"`{name}`", _printed(name), _limits(name), NUMBERS[name]["meaning"]) for name in NUMBERS],
    )


def _limits(name: str) -> str:
    """What a ruleset says that a field must be."""
    if name == "environment":
        return f"{_refusal(environment=None)}, ozone {_refusal(environment=[['west', None]] * 2)}"
    if name in PER_GENE:
        return f"each {_refusal(**{name: {GENE_NAMES[0]: None}})}"
    if isinstance(getattr(Ruleset(), name), tuple):
        return f"{_refusal(**{name: None})}, each {_refusal(**{name: [None]})}"
    return _refusal(**{name: None})


def _refusal(**changes: Any) -> str:
    """What would be right, in the words in which a ruleset refuses these changes."""
    try:
        Ruleset(**changes)
    except ValueError as error:
        right = str(error).partition("it must be ")[2]
        return right.removeprefix("an integer from ").replace(" to ", " … ")
    raise AssertionError(f"a ruleset accepts {changes}")


def _printed(name: str) -> str:
    """A field's printed numbers for each number of players."""
    if name in PER_GENE:
        return "[by gene](rules.md#4-genes)"
    values = {}
    for players in _PLAYERS:
        of_editions = [_text(getattr(Ruleset(players=players, edition=edition), name)) for edition in EDITIONS]
        values[players] = _one_or_both(of_editions)
    if len(set(values.values())) == 1:
        return values[MIN_PLAYERS]
    texts = []
    for value, group in groupby(_PLAYERS, values.__getitem__):
        first, *_, last = [*group] * 2
        texts.append(f"{value} with {first}–{last} players" if last > first else f"{value} with {first} players")
    return "<br>".join(texts)


def _one_or_both(of_editions: list[str]) -> str:
    new, old = of_editions
    return new if new == old else f"{new}; 1997: {old}"


def _text(value: Any) -> str:
    if not isinstance(value, tuple):
        return str(value)
    if isinstance(value[0], tuple):
        return f"the [{len(value)} cards](rules.md#3-environment-cards)"
    return ", ".join(map(str, value))


def _ruleset_genes() -> str:
    """The printed numbers of each gene; those of cards for 3, 4, 5 and 6 players."""
    return _table(
        ("gene", "price", "MP", "cards with 3/4/5/6 players", "gene points"),
        [(f"`{gene}`", *(_printed_of_gene(name, id) for name in PER_GENE)) for id, gene in enumerate(GENE_NAMES)],
    )


def _printed_of_gene(name: str, gene: int) -> str:
    of_editions = []
    for edition in EDITIONS:
        numbers = [getattr(Ruleset(players=players, edition=edition), name)[gene] for players in _PLAYERS]
        of_editions.append("/".join(map(str, numbers if name == "cards" else dict.fromkeys(numbers))))
    return _one_or_both(of_editions)


def _ruleset_switches() -> str:
    """The switches of a ruleset, with their values in each edition."""
    rows = []
    for name, declared in SWITCHES.items():
        in_editions = (str(getattr(Ruleset(edition=edition), name)).lower() for edition in EDITIONS)
        rows.append((f"`{name}`", *in_editions, declared["meaning"]))
    return _table(("switch", *EDITIONS, "if true"), rows)


def _ruleset_presets() -> str:
    """The presets, with the fields that each changes in its edition."""
    rows: list[tuple[Any, ...]] = []
    for name, preset in PRESETS.items():
        changes = (f"`{field} = {str(value).lower()}`" for field, value in preset.changes.items())
        rows.append((f'`"{name}"`', preset.edition, ", ".join(changes) or "–", preset.evidence))
    return _table(("preset", "edition", "changes", "what it is, on what evidence"), rows)


def _varied_rulesets() -> str:
    """The limits of the numbers of rulesets to train on; fields with the same ones share a row."""
    alike: dict[str, list[str]] = {}
    for name, variation in [*NUMBERS_THAT_VARY.items(), ("number of environment cards", NUM_ENVIRONMENT_CARDS)]:
        text = {"environment": "ozone of a card"}.get(name, name if " " in name else f"`{name}`")
        alike.setdefault(f"{variation.low} … {variation.high}", []).append(text)
    return _table(("limits", "numbers"), [(limits, ", ".join(names)) for limits, names in alike.items()])


def _state() -> str:
    """The fields of a game's record, what each group is about in a row of its own."""
    rows: list[tuple[Any, ...]] = []
    for about, group in FIELDS.items():
        rows.append((f"**{about}**", "", "", ""))
        for name, kind, shape, meaning in group:
            rows.append((f"`{name}`", kind.__name__, " × ".join(map(str, shape)), meaning))
    return _table(("field", "type", "shape", "meaning"), rows)


def _benchmark(task: str) -> str:
    """The table of a task."""
    rows = table_of(task_named(task))
    head = ["agent", "learned from", "visit, %", "host, points", *rows[0].more, "milliseconds a decision"]
    rule = " | ".join(["---", *["---:"] * (len(head) - 1)])
    return "\n".join([f"| {' | '.join(head)} |", f"| {rule} |", *(row.in_markdown() for row in rows)])


def _benchmark_others() -> str:
    """Visit and host in all other tasks with these opponents."""
    tasks = [task_named(name) for name in task_names() if name not in _OWN_TABLES]
    rows: dict[str, dict[str, str]] = {}
    for task in tasks:
        for row in table_of(task):
            found = f"{100 * row.visit.estimate:.1f}, {100 * row.host.estimate:+.1f}"
            rows.setdefault(row.name.replace("policy:duel", "policy:default").removesuffix(",policy=duel"), {})[
                task.name
            ] = found
    names = [task.name for task in tasks]
    return _table(
        ("agent", *(f"`{name}`" for name in names)),
        [(f"`{agent}`", *(found.get(name, "") for name in names)) for agent, found in rows.items()],
    )


PARTS: dict[str, Callable[..., str]] = {
    "sizes": _sizes,
    "observation": _observation,
    "observation-rules": rules_index_table,
    "actions": _actions,
    "ruleset-fields": _ruleset_fields,
    "ruleset-genes": _ruleset_genes,
    "ruleset-switches": _ruleset_switches,
    "ruleset-presets": _ruleset_presets,
    "varied-rulesets": _varied_rulesets,
    "state": _state,
    **{f"benchmark-{task}": partial(_benchmark, task) for task in _OWN_TABLES},
    "benchmark-others": _benchmark_others,
}

if __name__ == "__main__":
    for path in sorted(Path(__file__).parent.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        if fill(page) != page:
            write_atomically(path, fill(page).encode())
            print(path)
