"""What people are told: names of players, agents, colours and genes, in place of those that programs know."""

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

from ursuppe_agents.registry import GROUP, PROCESS, SB3, agent_names, load_entry, parameters_of
from ursuppe_env.records import Record
from ursuppe_env.records.film import Frame
from ursuppe_env.records.reel import reel_of
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_play.session import PERSON

#: How the places of a team count, by the name of the score.
SCORES = {"worst": "the worst place counts", "best": "the best place counts", "sum": "the places count together"}
_LIKE_WORDS = [name for name in GENE_NAMES if "_" not in name]  # mean a gene only where genes come and go
_GENE = re.compile(
    rf"\b({'|'.join(name for name in GENE_NAMES if '_' in name)})\b"
    rf"|(?<=buy )(\w+)\b(?= \()|(?:(?<=discard )|(?<=giving up )|(?<=gives up ))({'|'.join(_LIKE_WORDS)})\b"
)
_CUBE = re.compile(r"\b(?:a cube of colour|(\d+) of colour|colour) (\d)\b")
_WRITTEN = re.compile(r"(?<=>)[^<]+")  # between tags
_PLAYER = re.compile(r"\bplayer \d\b(?!’s)")  # the legend explains how amoebas are numbered


class Names:
    """The players of a game as people call them, and what is told of them; without names they keep their numbers."""

    def __init__(self, names: Sequence[str]) -> None:
        # Several who are called the same have the number of their seat with it; where that is a name of another's,
        # everybody has.
        numbered = [f"{name} {player}" for player, name in enumerate(names)]
        players = [numbered[player] if names.count(name) > 1 else name for player, name in enumerate(names)]
        self.players = players if len(set(players)) == len(players) else numbered
        self._by_number = {f"player {player}": name for player, name in enumerate(self.players)}

    def told(self, text: str) -> str:
        """What the game's narration says, as people say it."""
        return self._told(text, str)

    def drawn(self, markup: str) -> str:
        """The same of all that is written in a picture."""
        return _WRITTEN.sub(lambda found: self._told(found[0], escape), markup)

    def of(self, players: Sequence[int]) -> str:
        """Several players."""
        return " and ".join(self.players[player] for player in players)

    def _told(self, text: str, written: Callable[[str], str]) -> str:
        text = _CUBE.sub(_cube, _GENE.sub(_gene, text))
        return _PLAYER.sub(lambda found: written(self._by_number.get(found[0], found[0])), text)


def spec_title(spec: str) -> str:
    """An agent as people call it: ``Search (ms 50)`` for ``search:ms=50``; what is no registered one as it is."""
    if spec == PERSON:
        return PERSON.capitalize()
    if spec.partition(":")[0] not in agent_names() or spec.partition(":")[0] in (PROCESS, SB3):
        return spec
    try:
        name, parameters = parameters_of(spec)
    except ValueError:
        return spec  # of another version
    defaults = inspect.signature(load_entry("agent", name, GROUP)).parameters
    given = [(key, value) for key, value in parameters.items() if value not in (defaults[key].default, "default")]
    told = [f"{'' if value else 'not '}{key}" if isinstance(value, bool) else f"{key} {value}" for key, value in given]
    return name.capitalize() + (f" ({', '.join(told)})" if told else "")


def names_in(record: Record) -> Names:
    """Those of the players of a record; where it names none they keep their numbers."""
    return Names([] if record.agents is None else list(map(spec_title, record.agents)))


def named_reel(film: Iterable[Frame], record: Record, names: Names) -> dict[str, Any]:
    """As ``reel_of``, with what people call the players; what happened is told below the pictures."""
    reel = reel_of((frame._replace(last_action=None) for frame in film), replace(record, agents=names.players or None))
    moments = [
        {**one, "now": names.told(one["now"]), "told": list(map(names.told, one["told"]))} for one in reel["moments"]
    ]
    return {**reel, "elements": list(map(names.drawn, reel["elements"])), "moments": moments}


def _gene(found: re.Match[str]) -> str:
    name = found[0]
    return gene_title(name) if name in GENE_NAMES else name


def _cube(found: re.Match[str]) -> str:
    colour = PLAYERS[int(found[2])].name
    if found[0].startswith("a "):
        return f"{'an' if colour[0] in 'aeiou' else 'a'} {colour} cube"
    return f"{found[1]} {colour}" if found[1] else colour
