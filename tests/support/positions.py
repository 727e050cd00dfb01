"""Hand-made positions, spoken to in the words of the rules.

    game = position(
        '''
        .   1   .            .   .
        2   3   4            5   6
        7   8   ISLE         9   10
        11  12  13: 0.1 1.1  14  15
        16  17  18           19  .
        cubes in 13: 0-1-1-1
        ''',
        bp={0: 0},
    )
    assert game.asks == ("feed", 0)

Amoebas read ``j.n`` (player, number), spaces 1 ... 19, genes as in action texts. All chance is explicit.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from ursuppe_env import Games, Ruleset
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import PAUSED, Decision, Stage
from ursuppe_env.rules.phases.displacement import on_their_way

Card = tuple[str, int]

#: A switch means the same whatever the others of its edition are.
in_both_editions = pytest.mark.parametrize("edition", ["1998", "1997"])

#: How a board is drawn: the spaces in their places, the island, and corners where there is no space.
_GRID = (
    (".", "1", ".", ".", "."),
    ("2", "3", "4", "5", "6"),
    ("7", "8", "ISLE", "9", "10"),
    ("11", "12", "13", "14", "15"),
    ("16", "17", "18", "19", "."),
)

_FIRST_STAGE = {
    1: Stage.NEXT_ROUND,
    2: Stage.ENVIRONMENT,
    3: Stage.NEXT_BUYER,
    4: Stage.NEXT_DIVIDER,
    5: Stage.DEATHS,
    6: Stage.SCORING,
}


class Position:
    """One game with explicit chance."""

    def __init__(self, games: Games) -> None:
        self.games = games

    @property
    def _game(self) -> np.void:
        return self.games._states[0]

    # ---- what is asked, and the answers to it

    @property
    def asks(self) -> tuple[str, int] | str:
        """(decision, player), or the name of a chance event, or "end"."""
        player = int(self.games.player[0])
        if player >= 0:
            return Decision(int(self.games.decision[0])).name.lower(), player
        return "end" if self.games.finished[0] else self.games.chance(0)[0]

    @property
    def legal(self) -> set[str]:
        """The texts of the legal actions."""
        player = int(self.games.player[0])
        texts = [self.games.actions.text(int(id), player) for id in np.flatnonzero(self.games.legal()[0])]
        assert len(set(texts)) == len(texts) == self._game["num_legal"]
        return set(texts)

    def act(self, *events: str) -> None:
        """The players who are asked take these actions, one after the other; ``"die 5"``, ``"dice 2-3"`` and ``"fight
        attacker"`` among them are what chance gives in between."""
        for event in events:
            kind, _, value = event.partition(" ")
            if kind in ("die", "dice"):
                self.roll(*map(int, value.split("-")))
            elif kind == "fight":
                self.fight(value)
            else:
                assert isinstance(self.asks, tuple), f"{event!r}, but the game stands at {self.asks!r}"
                self.games.step([self.games.actions.id(event, int(self.games.player[0]))])
                self._check()

    def roll(self, *dice: int) -> None:
        """The die, or with Movement I the two dice, show this."""
        assert self.asks == ("die" if len(dice) == 1 else "dice")
        self._resolve(dice[0] if len(dice) == 1 else list(dice))

    def fight(self, winner: str) -> None:
        """The attacker or the defender wins."""
        assert self.asks == "fight"
        self._resolve(winner)

    def turn_up(self, direction: str, ozone: int) -> None:
        """This environment card is turned up."""
        assert self.asks == "card"
        self._resolve([direction, ozone])

    def draw_start_order(self, *players: int) -> None:
        """The players choose their start places in this order."""
        assert self.asks == "start_order"
        self._resolve(list(players))

    def _resolve(self, value: object) -> None:
        self.games.resolve([value])
        self._check()

    def pass_until(self, asked: tuple[str, int] | str) -> None:
        """Everybody asked passes until this is asked."""
        while self.asks != asked:
            self.act("pass")

    # ---- the board, the track and the players

    def space(self, amoeba: str) -> int | None:
        """Where an amoeba stands; None if it is not on the board."""
        space = int(self._game["amoeba_space"][_amoeba(amoeba)])
        return None if space < 0 else space + 1

    @property
    def amoebas(self) -> dict[str, int]:
        """The space of each amoeba on the board."""
        on_board = np.argwhere(self._game["amoeba_space"] >= 0).tolist()
        return {f"{player}.{n + 1}": int(self._game["amoeba_space"][player, n]) + 1 for player, n in on_board}

    def damage(self, amoeba: str) -> int:
        """Its DP."""
        return int(self._game["damage"][_amoeba(amoeba)])

    def food(self, space: int) -> tuple[int, ...]:
        """The cubes of each colour in play in this space."""
        return tuple(self._game["food"][space - 1].tolist()[: self.games.num_players])

    def bp(self, player: int) -> int:
        """The player's BP."""
        return int(self._game["bp"][player])

    @property
    def reserve(self) -> tuple[int, ...]:
        """The cubes of each colour in play that are not on the board."""
        return tuple(self._game["reserve"].tolist()[: self.games.num_players])

    @property
    def on_their_way(self) -> tuple[int, ...]:
        """The cubes of each colour in play that amoebas have taken along and not yet put down."""
        rules = self.games.ruleset.record[0]
        return tuple(int(on_their_way(self._game, rules, colour)) for colour in range(self.games.num_players))

    @property
    def carried(self) -> dict[int, tuple[int, ...]]:
        """The same by the owner of the amoebas that carry them."""
        carried = self._game["carried"].tolist()
        return {player: tuple(cubes[: self.games.num_players]) for player, cubes in enumerate(carried) if any(cubes)}

    @property
    def under_way(self) -> dict[str, str | int | None]:
        """What the state says of an attack: attacker and victim, attempts, and whether a fight was lost."""
        game = self._game
        amoebas = {
            role: f"{game[role]}.{game[f'{role}_amoeba'] + 1}" if game[role] >= 0 else None
            for role in ("attacker", "victim")
        }
        return {**amoebas, "attempts": int(game["attempts"]), "lost_fight": int(game["lost_fight"])}

    @property
    def markers(self) -> tuple[int, ...]:
        """The players' places on the track."""
        return tuple(self.games.markers[0].tolist())

    def genes(self, player: int) -> set[str]:
        """The names of the player's genes."""
        return {gene for gene, bought in zip(GENE_NAMES, self._game["genes"][player], strict=True) if bought}

    def cards_left(self, gene: str) -> int:
        """How many cards of a gene can still be bought."""
        return int(self._game["supply"][GENE_NAMES.index(gene)])

    def _check(self) -> None:
        """Cubes are on the board, in the reserve or with a Tentacle; nobody has fewer than 0 BP."""
        game, players = self._game, self.games.num_players
        cubes = game["food"].sum(axis=0) + game["reserve"] + game["carried"].sum(axis=0)
        assert cubes.tolist() == [self.games.ruleset.cubes] * players + [0] * (6 - players)
        assert game["food"].min() >= 0
        assert game["reserve"].min() >= 0
        assert game["bp"].min() >= 0


def new_game(players: int = 4, edition: str = "1998", **changes: object) -> Position:
    """A game before its set-up."""
    return Position(Games(1, Ruleset(players=players, edition=edition, **changes), explicit_chance=True))


def position(
    board: str = "",
    *,
    players: int = 4,
    edition: str = "1998",
    phase: int = 1,
    round: int = 2,
    card: Card = ("none", 14),
    turned_up: Iterable[Card] = (),
    amoebas: Mapping[str, int] | None = None,
    damage: Mapping[str, int] | None = None,
    food: Mapping[int, tuple[int, ...]] | None = None,
    bp: Mapping[int, int] | None = None,
    genes: Mapping[int, Iterable[str] | Mapping[str, int]] | None = None,
    markers: tuple[int, ...] | None = None,
    **changes: object,
) -> Position:
    """A game at the first thing that is asked in a phase.

    Args:
        board: a drawing of the amoebas on the board and the cubes in its spaces; or, where it does not matter how
            spaces lie, a list of those that are not empty, such as ``"12: 1.2; 13: 0.1 1.1 cubes 0-1-1-1"``.
        players: P.
        edition: the gene sheet.
        phase: 1 ... 6, about to begin.
        round: the round.
        card: the environment card in force.
        turned_up: cards turned up before; as many others as the round demands are taken for turned up as well.
        amoebas: space of each amoeba on the board, in place of those drawn.
        damage: its DP, 0 unless given.
        food: cubes of each colour in a space, beside or in place of those drawn; all others are in the reserve.
        bp: BP of a player, 4 unless given.
        genes: of each player, with the round in which they were bought, round 1 unless given.
        markers: places on the track; 1, 2, ... unless given, so that player 0 is the last one.
        changes: of the ruleset.
    """
    position = new_game(players, edition, **changes)
    game = position._game
    drawn_amoebas, drawn_food = drawn(board)
    game["food"] = 0
    for space, cubes in (drawn_food | dict(food or {})).items():
        assert len(cubes) == players
        game["food"][space - 1, :players] = cubes
    game["reserve"][:players] = position.games.ruleset.cubes - game["food"].sum(axis=0)[:players]
    for amoeba, space in (drawn_amoebas if amoebas is None else amoebas).items():
        game["amoeba_space"][_amoeba(amoeba)] = space - 1
    for amoeba, points in (damage or {}).items():
        game["damage"][_amoeba(amoeba)] = points
    game["bp"][:players] = 4
    for player, points in (bp or {}).items():
        game["bp"][player] = points
    for player, owned in (genes or {}).items():
        bought = owned if isinstance(owned, Mapping) else dict.fromkeys(owned, 1)
        for gene, when in bought.items():
            game["genes"][player, GENE_NAMES.index(gene)] = when
            game["mutation_points"][player] += position.games.ruleset.mutation_points[GENE_NAMES.index(gene)]
            game["supply"][GENE_NAMES.index(gene)] -= 1
    assert game["supply"].min() >= 0, "more owners of a gene than there are cards of it"
    game["marker"][:players] = markers or range(1, players + 1)
    game["order"][:players] = np.argsort(game["marker"][:players])
    _turn_up(position, card, turned_up, round if phase <= 2 else round + 1)
    game["turn"] = 0
    game["phase"] = phase - 1
    game["round"] = round - 1 if phase == 1 else round  # phase 1 begins by counting it
    game["node"] = _FIRST_STAGE[phase]
    game["player"] = PAUSED
    position.games.resume()
    position._check()
    return position


def choice(position: Position, agent: Any) -> str:
    """The text of what an agent does in this position."""
    (action,) = agent(position.games, np.zeros(1, np.int64))
    return position.games.actions.text(int(action), int(position.games.player[0]))


#: An amoeba of player 0 and one of player 1 in the same space.
BOTH = "13: 0.1 1.1"


def struggling(*owned: str, victim: Iterable[str] = (), board: str = BOTH, **options: Any) -> Position:
    """0.1, hungry and with Struggle for Survival, has drifted nowhere; 1.1, whose owner has the victim's genes, shares
    its space."""
    genes = {0: ["struggle_for_survival", *owned], 1: [*victim], **options.pop("genes", {})}
    game = position(board, genes=genes, **options)
    game.act("drift")
    assert game.asks == ("feed", 0)
    return game


def aggressing(*owned: str, victim: Iterable[str] = (), board: str = BOTH, **options: Any) -> Position:
    """Phase 5; player 0 owns Aggression, and 1.1, whose owner has the victim's genes, shares the space of 0.1."""
    genes = {0: ["aggression", *owned], 1: [*victim], **options.pop("genes", {})}
    return position(board, phase=5, genes=genes, **options)


def drawn(board: str) -> tuple[dict[str, int], dict[int, tuple[int, ...]]]:
    """The amoebas and cubes of a drawing, whose cells are two or more blanks apart, or of a list of spaces."""
    amoebas: dict[str, int] = {}
    food: dict[int, tuple[int, ...]] = {}
    if board and "ISLE" not in board:
        for space in board.split("; "):
            found = re.fullmatch(r"(\d+):((?: \d\.\d)*)(?: cubes ([\d-]+))?", space)
            assert found, f"{space!r} is not of the form '13: 0.1 1.1 cubes 0-1-1-1'"
            amoebas |= dict.fromkeys(found[2].split(), int(found[1]))
            if found[3]:
                food[int(found[1])] = tuple(map(int, found[3].split("-")))
        return amoebas, food
    lines = [line.strip() for line in board.strip().splitlines()]
    for line, row in zip(lines, _GRID, strict=False):
        cells = [cell.partition(":") for cell in re.split(r"\s{2,}", line)]
        assert tuple(name for name, _, _ in cells) == row, f"{line!r} does not show the spaces {row}"
        for name, _, here in cells:
            for amoeba in here.split():
                assert amoeba not in amoebas, f"{amoeba} is drawn twice"
                amoebas[amoeba] = int(name)
    assert not lines or len(lines) >= len(_GRID), f"a board has {len(_GRID)} rows:\n{board}"
    for line in lines[len(_GRID) :]:
        cubes = re.fullmatch(r"cubes in (\d+): ([\d-]+)", line)
        assert cubes, f"{line!r} is not of the form 'cubes in 13: 0-1-1-1'"
        food[int(cubes[1])] = tuple(map(int, cubes[2].split("-")))
    return amoebas, food


def _turn_up(position: Position, card: Card, turned_up: Iterable[Card], how_many: int) -> None:
    """One card is turned up in the set-up and one in each phase 2."""
    game, cards = position._game, list(position.games.ruleset.environment)
    numbers: list[int] = []
    for value in (card, *turned_up, *cards):
        free = [number for number, other in enumerate(cards) if other == value and number not in numbers]
        if free and len(numbers) < how_many:
            numbers.append(free[0])
    game["card"] = numbers[0]
    game["drawn"] = sum(1 << number for number in numbers)


def _amoeba(text: str) -> tuple[int, int]:
    player, number = text.split(".")
    return int(player), int(number) - 1
