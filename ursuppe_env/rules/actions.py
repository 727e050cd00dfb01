"""Actions as numbers: one id for each distinct action, shared by all decisions, and their texts.

Ids count players from the one who acts (0 me, 1 the next, ...), so that one policy serves every seat; texts name
players by number. The ids up to 82 are the same for every number of players P:

======================  ==========================================================================
ids                     actions
======================  ==========================================================================
0                       ``pass``
1-3                     ``drift``, ``move``, ``hold``
4-8                     ``west``, ``north``, ``east``, ``south``, ``stay``
9-15                    ``cling``, ``again``, ``eat``, ``starve``, ``defense``, ``escape``, ``pay``
16-34                   ``space 1`` ... ``space 19``
35-41                   ``amoeba 1`` ... ``amoeba 7``
42-61                   ``discard g`` for the 20 genes
62-82                   ``buy g`` for the 19 genes but Armour, ``buy armour for defense``, ``... for escape``
83 ...                  P ``start k``; P ``carry j``; P ``tap j`` (``tap`` of oneself is never legal);
                        7 P ``attack j.n``; the meals of ``meals.py``
======================  ==========================================================================
"""

from functools import cache

from ursuppe_env.compilation.compiler import compiled
from ursuppe_env.line import quoted
from ursuppe_env.parsing import is_integer
from ursuppe_env.rules.board import DIRECTION_NAMES, NUM_SPACES
from ursuppe_env.rules.genes import GENE_NAMES, NUM_GENES, NUM_PURCHASES, PURCHASE_NAMES
from ursuppe_env.rules.meals import ALL_MEALS
from ursuppe_env.rules.ruleset import MAX_AMOEBAS

Amoeba = tuple[int, int]  # owner, number counted from 0

NO_ACTION = -1  # in a game in which nobody decides
PASS = 0
DRIFT = 1
MOVE = 2
HOLD = 3
FIRST_DIRECTION = 4
CLING = 9
AGAIN = 10
EAT = 11
STARVE = 12
DEFENSE = 13
ESCAPE = 14
PAY = 15
FIRST_SPACE = 16
FIRST_AMOEBA = FIRST_SPACE + NUM_SPACES
FIRST_DISCARD = FIRST_AMOEBA + MAX_AMOEBAS
FIRST_BUY = FIRST_DISCARD + NUM_GENES
FIRST_START = FIRST_BUY + NUM_PURCHASES


def amoeba_name(amoeba: Amoeba) -> str:
    """``2.3``: amoeba 3 of player 2."""
    return f"{amoeba[0]}.{amoeba[1] + 1}"


_FIXED = (
    "pass",
    *("drift", "move", "hold"),
    *DIRECTION_NAMES,
    *("cling", "again", "eat", "starve", "defense", "escape", "pay"),
    *(f"space {number + 1}" for number in range(NUM_SPACES)),
    *(f"amoeba {number + 1}" for number in range(MAX_AMOEBAS)),
    *(f"discard {gene}" for gene in GENE_NAMES),
    *(f"buy {purchase}" for purchase in PURCHASE_NAMES),
)


@compiled
def first_carry(rules):
    """Id of ``carry`` of the own colour."""
    return FIRST_START + rules["players"]


@compiled
def first_tap(rules):
    """Id at which the ``tap`` ids begin."""
    return FIRST_START + 2 * rules["players"]


@compiled
def first_attack(rules):
    """Id of ``attack`` on the own first amoeba."""
    return FIRST_START + 3 * rules["players"]


@compiled
def first_meal(rules):
    """Id of the first meal."""
    return FIRST_START + (3 + MAX_AMOEBAS) * rules["players"]


@compiled
def seen_from(player, other, rules):
    """How many seats after the player the other one sits."""
    return (other - player) % rules["players"]


class Actions:
    """The actions of a game with this many players: ids, texts, sizes.

    Source: rules.md section 8. Ids depend on the number of players alone.
    """

    def __init__(self, players: int) -> None:
        self.players = players
        self._texts = tuple(tuple(self._all_texts(player)) for player in range(players))
        self._ids = tuple({text: id for id, text in enumerate(texts)} for texts in self._texts)

    def __len__(self) -> int:
        return len(self._texts[0])

    def _all_texts(self, player: int) -> list[str]:
        players = self.players
        seats = [(player + offset) % players for offset in range(players)]
        texts = list(_FIXED)
        texts += [f"start {place + 1}" for place in range(players)]
        texts += [f"carry {seat}" for seat in seats]
        texts += [f"tap {seat}" for seat in seats]
        texts += [f"attack {amoeba_name((seat, number))}" for seat in seats for number in range(MAX_AMOEBAS)]
        for cubes in ALL_MEALS[players]:
            by_colour = [cubes[(colour - player) % players] for colour in range(players)]
            texts.append("meal " + "-".join(map(str, by_colour)))
        return texts

    def text(self, id: int, player: int) -> str:
        """The action's text, as rules.md section 8 writes it, when this player takes it; ``ValueError``: none such."""
        texts = self.texts(player)
        if is_integer(id) and 0 <= id < len(texts):
            return texts[id]
        right = f"with {self.players} players ids are 0 ... {len(texts) - 1}"
        raise ValueError(f"action {quoted(id)} does not exist; {right}")

    def texts(self, player: int) -> tuple[str, ...]:
        """The texts of all ids, in order, when this player takes them; ``ValueError``: no such player."""
        self._check_player(player)
        return self._texts[player]

    def id(self, text: str, player: int) -> int:
        """The id of the action that this player would take under that text; ``ValueError``: none such."""
        self._check_player(player)
        try:
            return self._ids[player][text]
        except (KeyError, TypeError):
            like = f"with {self.players} players they read like 'drift', 'space 3', 'attack 2.1' or 'buy speed'"
            raise ValueError(f"{quoted(text)} is not an action; {like}") from None

    def _check_player(self, player: int) -> None:
        if not is_integer(player) or not 0 <= player < self.players:
            raise ValueError(f"player {quoted(player)} does not exist; players are 0 ... {self.players - 1}")


@cache
def actions_for(players: int) -> Actions:
    """The one ``Actions`` of games with this many players."""
    return Actions(players)
