"""The state after a round, as records write it."""

from typing import Any

from ursuppe_env.games import Games
from ursuppe_env.rules.board import OFF_BOARD
from ursuppe_env.rules.chance import card_value
from ursuppe_env.rules.genes import GENE_NAMES


def snapshot(games: Games, i: int) -> dict[str, Any]:
    """Game i as an entry of ``rounds`` (records.md)."""
    game = games.state[i]
    players = range(games.num_players)
    return {
        "round": int(game["round"]),
        "card": list(card_value(games.ruleset.record[0], int(game["card"]))),
        "markers": [int(game["marker"][player]) for player in players],
        "bp": [int(game["bp"][player]) for player in players],
        "amoebas": [
            [
                [number + 1, int(space) + 1, int(damage)]
                for number, (space, damage) in enumerate(
                    zip(game["amoeba_space"][player], game["damage"][player], strict=True)
                )
                if space != OFF_BOARD
            ]
            for player in players
        ],
        "genes": [
            {gene: int(bought) for gene, bought in zip(GENE_NAMES, game["genes"][player], strict=True) if bought}
            for player in players
        ],
        "food": game["food"][:, : games.num_players].tolist(),
        "reserve": [int(game["reserve"][player]) for player in players],
    }


def result(games: Games, i: int) -> dict[str, Any]:
    """The result of the finished game i, as records write it."""
    game = games.state[i]
    return {
        "markers": game["marker"][: games.num_players].tolist(),
        "winner": int(game["winner"]),
        "rounds": int(game["round"]),
    }
