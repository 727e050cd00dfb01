"""Behaviour cloning: a network learns from a data set what its players did, then plays against random players.

ursuppe record --games 500 --agents hunter hunters.jsonl.gz
ursuppe export hunters.jsonl.gz --out hunters --observations uint8
python training/scripts/behaviour_cloning.py hunters
"""

import sys

import numpy as np
import polars as pl
import torch
from torch.nn import BatchNorm1d, Linear, ReLU, Sequential

from ursuppe_env import Games, Ruleset

torch.manual_seed(0)
table = pl.scan_parquet(f"{sys.argv[1]}/decisions")  # its columns are those of docs/data.md
players = pl.read_parquet(f"{sys.argv[1]}/games")["players"][0]
games = Games(200, Ruleset(players=players), seed=1)
size, count = games.observation_size, games.num_actions
network = Sequential(BatchNorm1d(size), Linear(size, 256), ReLU(), Linear(256, count))  # uint8 has numbers up to 55
optimizer = torch.optim.Adam(network.parameters(), 1e-3)


def logits(seen, legal):
    """(n, A) of these observations (n, F), minus infinity where the mask (n, A) is 0."""
    return network(torch.tensor(seen, dtype=torch.float32)).masked_fill(torch.tensor(legal) == 0, -torch.inf)


def tensors(rows):
    """Observations, masks and actions of some rows of the table."""
    legal = np.zeros((len(rows), count), np.int8)
    legal[np.repeat(np.arange(len(rows)), rows["legal"].list.len()), rows["legal"].explode()] = 1
    return rows["observation"].to_numpy(), legal, torch.tensor(rows["action"].to_list())


for first in range(0, table.select(pl.col("game").max()).collect().item() + 1, 256):  # so many games are in memory
    some = table.filter(pl.col("game").is_between(first, first + 255), pl.col("game") % 10 > 0).collect()
    for rows in some.sample(fraction=1, shuffle=True, seed=first).iter_slices(256):
        seen, legal, actions = tensors(rows)
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(logits(seen, legal), actions).backward()
        optimizer.step()

network.eval()
with torch.no_grad():
    seen, legal, actions = tensors(table.filter(pl.col("game") % 10 == 0, pl.col("game") < 1000).collect())
    agree = (logits(seen, legal).argmax(dim=1) == actions).float().mean()
    print(f"{agree:.1%} of {len(actions):,} decisions of games that it has not seen are as the players took them")
    while not games.finished.all():
        own = np.flatnonzero(games.player == 0)
        seen, legal = games.observe(dtype=np.uint8)[own], games.legal()[own]
        games.step(logits(seen, legal).argmax(dim=1).numpy(), own)
        games.step_random(np.flatnonzero(games.player > 0))
print(f"it wins {(games.winner == 0).sum()} of {len(games)} games against {players - 1} random players")
