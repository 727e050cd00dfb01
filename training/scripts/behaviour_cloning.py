"""Behaviour cloning: a network learns from a data set what its players did, and whether they won.

ursuppe benchmark logs logs4-v1 scripted --small --out scripted.jsonl.gz
ursuppe export scripted.jsonl.gz --out scripted --observations uint8
python training/scripts/behaviour_cloning.py scripted --seed 0 --out runs/cloned.pt
cd training/scripts
ursuppe benchmark run logs4-v1 behaviour_cloning:Player:model=../../runs/cloned.pt --out ../../runs/cloned-logs
"""

import argparse
import json
from pathlib import Path

import numpy as np
import polars as pl
import ppo
import torch
from ppo import look, new_network, save
from rich.progress import track
from torch.nn.functional import binary_cross_entropy_with_logits

EPOCHS, BATCH, LEARNING_RATE = 2, 1024, 1e-3


def examples(file, actions):
    """Of the decisions in a file: the game, what was seen (n, F), masks (n, A), the action, and whether they won."""
    table = pl.read_parquet(file)  # its columns are those of docs/data.md
    games = pl.read_parquet(file.parents[1] / "games" / file.name, columns=["game", "winner", "teams"])
    if games["teams"].null_count() < len(games):
        raise SystemExit(f"{file} has games in teams; this script learns from games of each for itself")
    table = table.join(games, on="game", maintain_order="left")
    seen = table["observation"].to_numpy().astype(np.float32)
    for part in json.loads(pl.read_parquet_metadata(file)["ursuppe.observation"])["parts"].values():
        columns = seen[:, part["start"] : part["stop"]]
        columns -= part["offset"]
        columns /= part["unit"]
    legal = np.zeros((len(table), actions), bool)
    legal[np.repeat(np.arange(len(table)), table["legal"].list.len()), table["legal"].explode()] = True
    won = (table["player"] == table["winner"]).cast(pl.Float32).to_numpy()
    return table["game"].to_numpy(), *map(torch.tensor, (seen, legal, table["action"].cast(pl.Int64).to_numpy(), won))


def train(data, seed, out):
    """Learn from nine in ten of the games; say how often the network does what the players of the others did."""
    torch.manual_seed(seed)
    files = sorted((data / "decisions").glob("*.parquet"))
    seen = pl.read_parquet_schema(files[0]).get("observation") if files else None
    if seen is None or seen.inner != pl.UInt8:
        raise SystemExit(f"{data} has no uint8 observations; it must be of ursuppe export --observations uint8")
    actions = pl.read_parquet(sorted((data / "actions").glob("*.parquet"))[0])["action"].n_unique()
    network = new_network(seen.size, actions)
    optimizer = torch.optim.Adam(network.parameters(), LEARNING_RATE)
    order = [files[number] for _ in range(EPOCHS) for number in torch.randperm(len(files)).tolist()]
    for step, file in enumerate(track(order, "files")):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / len(order))
        game, *columns = examples(file, actions)
        learned = torch.from_numpy(np.flatnonzero(game % 10))
        for batch in learned[torch.randperm(len(learned))].split(BATCH):
            seen, legal, action, won = (column[batch] for column in columns)
            policy, value = look(network, seen, legal)
            loss = binary_cross_entropy_with_logits(value, won) - policy.log_prob(action).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    save({"inputs": network[0].in_features, "actions": actions, "weights": network.state_dict()}, out)
    print(f"{agreement(network, files[0], actions):.1%} of decisions that it has not seen are as the players took them")


@torch.inference_mode()
def agreement(network, file, actions):
    """Share of the decisions of games kept back for which the likeliest action is what the player did."""
    game, seen, legal, action, _ = examples(file, actions)
    kept_back = torch.from_numpy(np.flatnonzero(game % 10 == 0))
    policy, _ = look(network, seen[kept_back], legal[kept_back])
    return (policy.logits.argmax(dim=1) == action[kept_back]).float().mean()


class Player(ppo.Player):
    """Plays by a network that was written here, and gives chances of winning."""

    @torch.inference_mode()
    def values(self, games, rows):
        """Each player's chance of winning, (n, P): what each seat sees says how likely it wins; in sum 1."""
        asked = games.copy(rows)
        seats = [self.network(torch.as_tensor(asked.observe(seat)))[:, -1] for seat in range(games.num_players)]
        chances = torch.stack(seats, dim=1).double().sigmoid().numpy()
        return chances / chances.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder of a data set with uint8 observations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=ppo.new_file, default=Path("model.pt"), help="file for the trained network")
    train(**vars(parser.parse_args()))
