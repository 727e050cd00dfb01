"""What a bot is shown of a game: its beginning, its decisions, its end."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ursuppe_agents.protocol import messages
from ursuppe_env import Games, Ruleset
from ursuppe_env.observation import observation_layout
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.nodes import Decision
from ursuppe_env.rules.ruleset import NUMBERS, PER_GENE, SWITCHES
from ursuppe_env.teams import Teams

_NAMES = {int(decision): decision.name.lower() for decision in Decision}


def game_message(
    game: int, seat: int, ruleset: Ruleset, teams: Teams | None, seed: int, ms: float | None, sees: Collection[str]
) -> messages.Game:
    """What a bot is told before its first decision in a game."""
    fields = {name: getattr(ruleset, name) for name in (*NUMBERS, *SWITCHES)}
    fields |= {name: dict(zip(GENE_NAMES, fields[name], strict=True)) for name in PER_GENE}
    layout = {name: (part.start, part.stop) for name, part in observation_layout(ruleset.players).items()}
    return messages.Game(
        game=game,
        seat=seat,
        players=ruleset.players,
        edition=ruleset.edition,
        ruleset=fields,  # ``Ruleset.from_changes`` takes them
        teams=None if teams is None else messages.Teams(seats=[*map(list, teams.seats)], score=teams.score),
        seed=seed,
        ms=ms,
        observation_layout=layout if "observation" in sees else None,
    )


def shown_decisions(
    games: Games, rows: NDArray[np.int64], ids: Sequence[int], sees: Collection[str]
) -> list[dict[str, Any]]:
    """The decisions in these rows, (n,), of the games, as in the message ``decide``.

    Args:
        games: as they stand.
        rows: (n,) the games in which somebody decides.
        ids: of the games, n of them, as the bot knows them.
        sees: what is to be shown beside the legal actions.
    """
    asked = games.copy(rows)
    players, nodes, text_of = asked.player.tolist(), asked.decision.tolist(), asked.actions.text
    masks = asked.legal()
    ends = np.cumsum(np.count_nonzero(masks, axis=1)).tolist()
    legal = np.nonzero(masks)[1].tolist()  # of all rows, one after the other
    decisions: list[dict[str, Any]] = [
        {
            "game": game,
            "decision": _NAMES[node],
            "legal": [text_of(action, player) for action in legal[start:end]],
            "ids": legal[start:end],
        }
        for game, node, player, start, end in zip(ids, nodes, players, [0, *ends[:-1]], ends, strict=True)
    ]
    if "position" in sees:
        for place, decision in enumerate(decisions):
            position = asked.to_dict(place)
            del position["streams"]  # they tell the future
            decision["position"] = position
    if "observation" in sees:
        for decision, observation in zip(decisions, asked.observe(dtype=np.uint8).tolist(), strict=True):
            decision["observation"] = observation
    if "text" in sees:
        for place, decision in enumerate(decisions):
            decision["text"] = asked.describe(place, players[place])
    return decisions


def result_of(games: Games, row: int, teams: Teams | None) -> messages.Result:
    """How the game in this row ended."""
    markers = games.markers[row]
    if teams is None:
        ranks = 1 + (markers > markers[:, None]).sum(axis=1)
    else:
        ranks = 1 + teams.ahead(markers[None])[0, teams.team_of]
    return messages.Result(markers=markers.tolist(), ranks=ranks.tolist(), rounds=int(games.rounds[row]))
