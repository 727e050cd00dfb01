"""The state after a round, as records write it."""

from typing import Any

from ursuppe_env.games import Games

_KEYS = ("round", "card", "markers", "bp", "amoebas", "genes", "food", "reserve")


def snapshot(games: Games, i: int) -> dict[str, Any]:
    """Game i as an entry of ``rounds`` (records.md)."""
    state = games.to_dict(i)
    state["food"] = games.state["food"][i, :, : games.num_players].tolist()  # space by space, the empty ones too
    return {key: state[key] for key in _KEYS}


def result(games: Games, i: int) -> dict[str, Any]:
    """The result of game i, as records write it; the winner is -1 where the game is not over."""
    game = games.state[i]
    return {
        "markers": game["marker"][: games.num_players].tolist(),
        "winner": int(game["winner"]),
        "rounds": int(game["round"]),
    }
