"""What the page is told of a game: JSON, with the picture in it."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ursuppe_env import Games, Ruleset
from ursuppe_env.positions.facts import acting, asked_to_cling, moving, space_of, taking_cubes
from ursuppe_env.positions.read import read_ruleset, read_state
from ursuppe_env.render.descriptions import heading, situation, under_way
from ursuppe_env.render.narration import gene_effect
from ursuppe_env.render.svg import draw_svg
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_env.rules.actions import Amoeba, amoeba_name
from ursuppe_env.rules.board import DIRECTION_NAMES, NEIGHBOUR, OBSTACLE
from ursuppe_env.rules.genes import GENE_NAMES, Gene
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.teams import Teams
from ursuppe_play.names import SCORES, Names
from ursuppe_play.session import Session, game_at
from ursuppe_play.web.forms import Refusal, SeatForm
from ursuppe_play.web.tables.table import Table

_NEWS_OF_WATCHERS = 20  # lines
#: What an action that begins with one of these words names.
_NAMED = {"start": "place", "space": "space", "attack": "amoeba", "tap": "player", "buy": "gene", "discard": "gene"}
THEME = "page"  # its colours are those that the style sheet of the page says
#: What the sentences of refusals speak of, and the part of the editor where that is: the first that is found.
_PLACES = (
    (r"^(decision|chance|phase|the position|only|no action)\b", "decision"),
    (r"amoeba|damage|\bDP\b|attacker|victim|\bcling", "amoebas"),
    (r"food|cube|reserve|colour", "food"),
    (r"\bgene|supply|\bowns?\b|bought|mutation", "genes"),
    (r"marker|start.place|\btrack|\border\b", "markers"),
    (r"\bbp\b|\bBP\b", "bp"),
    (r"\bcard|ozone|\bround\b|environment", "card"),
    ("", "decision"),  # of all others
)
#: A position is nobody's game: people know its players by their colours.
_NAMES = Names([colour.name.capitalize() for colour in PLAYERS])


def game_view(table: Table, seats: Sequence[int], is_owner: bool) -> dict[str, Any]:
    """A game as those see it who decide in these seats, or in none look on; the owner may do everything else."""
    with table.looked_at() as session:
        player = int(session.games.player[0])
        is_asked = session.is_asked and player in seats
        own = table.own(player) if is_asked else seats
        happenings = session.since(own) if own else session.happenings[-_NEWS_OF_WATCHERS:]
        told_to = seats if len({table.own(seat) for seat in seats}) == 1 else ()  # where several look nobody is "you"
        names, first = table.names, len(session.happenings) - len(happenings)
        return {
            "id": table.identity,
            "version": table.version,
            "frame": len(session.happenings),
            "heading": heading(session.games.state[0], session.games.ruleset),
            "isOwner": is_owner,
            "own": list(seats),
            "you": list(told_to),
            "teams": None if session.teams is None else session.teams.seats,
            "seats": [_seat(table, number, seat, is_owner) for number, seat in enumerate(table.seats)],
            "trouble": table.troubles.get(-1),
            "pace": table.pace,
            "question": question(session.games, names, session.teams),
            "waitsFor": table.waits_for,
            "isPreparing": table.is_preparing,
            "isOver": session.is_over,
            "ranks": ranks(session.games),
            "choices": choices(session, names) if is_asked else [],
            "canUndo": bool(set(table.undo_seats) & set(seats)),
            "canRedo": is_asked and session.can_redo,
            "news": [
                {"frame": first + number, "words": names.told(words)}
                for number, happening in enumerate(happenings, 1)
                for words in happening.told(told_to)
            ],
            "picture": _present_picture(table, session),
            "genes": genes(session.games.ruleset),
        }


def _present_picture(table: Table, session: Session) -> str:
    """The picture of the game as it stands, drawn once for all who look."""
    key = table.version, len(session.happenings)
    if table.drawn[0] != key:
        table.drawn = key, table.names.drawn(draw_svg(session.games.state[0], session.games.ruleset, theme=THEME))
    return table.drawn[1]


def question(games: Games, names: Names, teams: Teams | None) -> dict[str, Any]:
    """What a batch of one waits for, in words: whose decision, which, and what is under way; or who has won."""
    now = situation(games.state[0])
    player, text = now.player, re.sub(r"^(?:– )?[\w ]+(?:: | – )", "", now.text)
    if games.finished[0] and teams is not None:
        first, *others = winners(games, teams)
        places = " to ".join(map(str, sorted(teams.places(games.markers[0]).tolist(), reverse=True)))
        player, text = first, f"and {names.of(others)} win: of a team {SCORES[teams.score]}, {places}"
    facts = [names.told(fact) for fact in under_way(games.state[0], games.ruleset)]
    return {"player": player, "title": now.title, "text": text, "facts": facts}


def winners(games: Games, teams: Teams | None) -> tuple[int, ...]:
    """The seats of whoever has won a game that is over."""
    return (int(games.winner[0]),) if teams is None else teams.seats[int(teams.winner(games.markers)[0])]


def choices(session: Session, names: Names) -> list[dict[str, Any]]:
    """The legal actions of the person who is asked, in words and on the picture."""
    game, ruleset = session.games.state[0], session.games.ruleset
    return [
        {"action": choice.action, "words": names.told(choice.words), "marks": marks(game, ruleset, choice.action)}
        for choice in session.choices()
    ]


def ranks(games: Games) -> list[dict[str, int]]:
    """The players in the order of the track, the leader first."""
    markers = games.markers[0]
    order = np.argsort(-markers, kind="stable").tolist()
    return [{"player": player, "place": int(markers[player])} for player in order]


def genes(ruleset: Ruleset) -> dict[str, dict[str, Any]]:
    """What each gene does, and its numbers."""
    return {
        GENE_NAMES[gene]: {
            "title": gene_title(GENE_NAMES[gene]),
            "effect": gene_effect(ruleset, gene),
            "price": ruleset.price[gene],
            "points": ruleset.mutation_points[gene],
        }
        for gene in Gene
    }


def frame_view(table: Table, frame: int) -> dict[str, Any]:
    """The game after so many happenings, with the last one in words; a ``Refusal`` if it has not come so far."""
    with table.looked_at() as session:
        happenings = session.happenings
        if not 0 <= frame <= len(happenings):
            raise Refusal(404, "the game has not come so far, or has gone back")
        state = happenings[frame].before if frame < len(happenings) else session.games.state
        words = "; ".join(happenings[frame - 1].told()) if frame else ""
        ruleset = session.games.ruleset
        picture = draw_svg(state[0], ruleset, theme=THEME)
    return {
        "frame": frame,
        "heading": heading(state[0], ruleset),
        "words": table.names.told(words),
        "picture": table.names.drawn(picture),
    }


def story_view(table: Table) -> list[dict[str, Any]]:
    """All that has happened: in words, who decided, and in which round; the first entry leads from frame 0 to 1."""
    with table.looked_at() as session:
        happenings = list(session.happenings)
    return [
        {
            "words": table.names.told("; ".join(happening.told())),
            "player": happening.player,
            "round": int(happening.before["round"][0]),
        }
        for happening in happenings
    ]


def hint_view(table: Table, seats: Sequence[int]) -> dict[str, str]:
    """What the trained policy and its play-outs advise the person in these seats; a ``Refusal`` if none is asked."""
    with table.looked_at() as session:
        if not session.is_asked or int(session.games.player[0]) not in seats:
            raise Refusal(409, "there is nothing to decide now")
        asked = session.standing_still()
    hint = asked.hint()  # which thinks for half a second, and others may look meanwhile
    return {"action": hint.action, "words": table.names.told(hint.words)}


def summary(table: Table) -> dict[str, Any]:
    """A game in a line of a list."""
    with table.looked_at() as session:
        return {
            "id": table.identity,
            "made": table.beginning.made,
            "heading": heading(session.games.state[0], session.games.ruleset),
            "players": table.names.players,
            "isRecord": bool(table.beginning.record.events),
            "winners": winners(session.games, session.teams) if session.is_over else [],
            "ranks": ranks(session.games),
            "asked": int(session.games.player[0]) if session.is_asked else None,
            "trouble": bool(table.troubles),
        }


def _seat(table: Table, number: int, seat: SeatForm, is_owner: bool) -> dict[str, Any]:
    return {
        "player": number,
        "who": seat.who,
        "name": table.names.players[number],
        "ownName": seat.name,
        "trouble": table.troubles.get(number),
        "link": f"/games/{table.identity}/join?seat={number}&token={table.tokens[number]}"
        if is_owner and seat.link and number == table.own(number)[0]
        else None,
    }


def marks(game: np.void, ruleset: Ruleset, action: str) -> list[str]:
    """CSS selectors of what stands on the picture for an action (its text) in this state; none where nothing does.

    The same element may stand for several actions.
    """
    word, _, rest = action.partition(" ")
    match word:
        case "start" | "space" | "attack" | "tap" | "buy" | "discard":
            return [_drawn(_NAMED[word], rest.split()[0])]
        case "defense" | "escape":
            return [_drawn("gene", word)]
        case "carry":
            return [f'{_space_of(game, taking_cubes(game))} .food[data-player="{rest}"]']
        case "cling":
            return [_amoeba(asked_to_cling(game, ruleset))]
        case "drift":
            return [".island", *_target(game, acting(game), ruleset.environment[game["card"]][0])]
        case "move" | "eat":
            return [_amoeba(acting(game))]
        case "again":
            return [_amoeba(moving(game))]
        case "stay":
            return [_point(word), _space_of(game, moving(game))]
        case _ if game["node"] == Decision.DIRECTION:
            return [_point(word), *_target(game, moving(game), word)]
    return []


def _drawn(kind: str, value: object) -> str:
    return f'.{kind}[data-{kind}="{value}"]'


def _point(direction: str) -> str:
    return f'.point[data-direction="{direction}"]'


def _amoeba(amoeba: Amoeba | None) -> str:
    assert amoeba is not None
    return _drawn("amoeba", amoeba_name(amoeba))


def _space_of(game: np.void, amoeba: Amoeba | None) -> str:
    assert amoeba is not None
    return _drawn("space", space_of(game, amoeba) + 1)


def _target(game: np.void, amoeba: Amoeba | None, direction: str) -> list[str]:
    """The space in this direction, if there is one."""
    assert amoeba is not None
    if direction not in DIRECTION_NAMES[:4]:
        return []
    target = int(NEIGHBOUR[space_of(game, amoeba), DIRECTION_NAMES.index(direction)])
    return [] if target == OBSTACLE else [_drawn("space", target + 1)]


def position_of(games: Games) -> dict[str, Any]:
    """A game's position, with the key of its random streams as texts: JavaScript rounds numbers of 64 bits."""
    position = games.to_dict(0)
    position["streams"] |= {name: str(position["streams"][name]) for name in ("seed", "index", "episode")}
    return position


def position_view(position: Any) -> dict[str, Any]:
    """How a position looks that somebody sets up.

    Its ``picture``, None where not even that is possible; ``error`` and ``place``, what is impossible, and in which
    part of the editor that is; or else ``position`` with all its keys, ``question`` and ``choices``.
    """
    try:
        games = game_at(position)
    except ValueError as error:
        place = next(place for pattern, place in _PLACES if re.search(pattern, str(error)))
        return {"picture": _picture(position), "error": _NAMES.told(str(error)), "place": place}
    asked = Session(games, [None] * games.num_players, [""] * games.num_players)
    return {
        "picture": _NAMES.drawn(draw_svg(games.state[0], games.ruleset, theme=THEME)),
        "position": position_of(games),
        "question": question(games, _NAMES, None),
        "choices": choices(asked, _NAMES),
    }


def _picture(position: Any) -> str | None:
    """The picture of a position that is impossible, as far as it can be drawn."""
    try:
        ruleset = read_ruleset(position)
        return _NAMES.drawn(draw_svg(read_state(position, ruleset)[0], ruleset, theme=THEME))
    except (ValueError, IndexError, KeyError, AssertionError):  # the drawing trusts that amoebas are where they can be
        return None
