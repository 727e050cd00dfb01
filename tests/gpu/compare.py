"""Games on a GPU and the same on the processor, byte for byte: `make gpu-test`, on a machine that has one.

    python tests/gpu/compare.py [--games 100000] [--no-sanitizer]

All numbers of players, both editions, all switches on, all off, and rulesets that vary: random play, masks,
observations, steps, scripted agents, resets and copies. Where NVIDIA's compute-sanitizer is installed, the same runs
under it too, with few games: it finds what is read or written outside an array. The exit status is 1 if anything
differs.
"""

import argparse
import shutil
import subprocess
import sys
import time
from itertools import product

import numpy as np

from ursuppe_agents import make_agent
from ursuppe_agents.policies.rulesets import varied_rulesets
from ursuppe_agents.scripted.on_gpu import ScriptedSeats
from ursuppe_env import Games, Ruleset
from ursuppe_env.cuda import GamesCuda
from ursuppe_env.cuda.arrays import Device
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, SWITCHES

GAMES = 100_000
SANITIZED_GAMES = 3_000
NUM_VARIED = 64  # rulesets in one batch
AGENTS = ("breeder", "hunter", "collector")
STEPS = 12  # of each kind, between stretches of random play
STRETCHES = (40, 130, 200)  # decisions of random play

Setting = tuple[str, list[Ruleset]]


def main() -> int:
    parser = argparse.ArgumentParser(description="Are games on the GPU those of the processor?")
    parser.add_argument("--games", type=int, default=GAMES, help=f"in all (default: {GAMES})")
    parser.add_argument("--no-sanitizer", action="store_true", help="do not run it under compute-sanitizer as well")
    options = parser.parse_args()
    found = settings()
    each = max(1, options.games // len(found))
    differing = 0
    for name, rulesets in found:
        began = time.perf_counter()
        differences = compare(rulesets, each)
        result = "the same" if not differences else f"DIFFERENT: {', '.join(differences)}"
        print(f"{name}: {each:,} games, {result} ({time.perf_counter() - began:.1f} s)", flush=True)
        differing += bool(differences)
    return 1 if differing or not (options.no_sanitizer or sanitized()) else 0


def settings() -> list[Setting]:
    """What is played: a name, and the rulesets of a batch."""
    found: list[Setting] = []
    for players in range(MIN_PLAYERS, MAX_PLAYERS + 1):
        for edition, value in product(EDITIONS, (None, True, False)):
            switches = {} if value is None else dict.fromkeys(SWITCHES, value)
            what = {None: "as printed", True: "all switches on", False: "all switches off"}[value]
            found.append(
                (f"{players} players, {edition}, {what}", [Ruleset(players=players, edition=edition, **switches)])
            )
        varied = varied_rulesets(players, NUM_VARIED, seed=players)
        found.append((f"{players} players, rulesets that vary", varied))
    return found


def compare(rulesets: list[Ruleset], num_games: int, device: Device | None = None) -> list[str]:
    """Play the same on both; what differs, in words, each only once.

    Args:
        rulesets: of the batch.
        num_games: in it.
        device: the GPU; None: the current one.
    """
    games, there = Games(num_games, rulesets, seed=7), GamesCuda(num_games, rulesets, seed=7, device=device)
    differences: dict[str, None] = {}

    def same(what: str, on_gpu: object, expected: np.ndarray) -> None:
        if there.device.to_host(on_gpu).tobytes() != np.ascontiguousarray(expected).tobytes():
            differences[what] = None

    def same_games(what: str) -> None:
        same(what, there.state, games.state)
        for name in ("player", "decision", "finished", "winner", "rounds", "markers"):
            same(name, getattr(there, name), getattr(games, name))

    def same_views() -> None:
        masks = there.legal()
        same("legal", masks, games.legal())
        same("observe", there.observe(masks=masks), games.observe())
        same("masks of observe", masks, games.legal())
        same("observe with a seat and rules", there.observe(seat=1, rules=True), games.observe(seat=1, rules=True))

    plays = np.arange(num_games)[:, None] + np.arange(games.num_players)
    seats = ScriptedSeats(there, AGENTS, plays % len(AGENTS))
    agents = [make_agent(name, seed=0) for name in AGENTS]
    same_games("games at their beginning")
    for stretch in STRETCHES:
        same("decisions made", there.play_random(stretch), games.play_random(stretch))
        same_games("random play")
        for _ in range(STEPS):
            same("random actions", there.step_random(), games.step_random())
        same_games("random steps")
        same_views()
        for _ in range(STEPS):
            actions, chosen = np.full(num_games, -1), seats.act()
            player = games.player
            for number, agent in enumerate(agents):
                rows = np.flatnonzero((player >= 0) & ((np.arange(num_games) + player) % len(AGENTS) == number))
                actions[rows] = agent.act(games, rows)
            same("scripted agents", chosen, actions)
            games.step(actions)
            there.step(chosen)
        same_games("steps")
    there.play_random()
    games.play_random()
    same_games("games at their end")
    there.reset(mask=np.arange(num_games) % 3 == 0)
    games.reset(mask=np.arange(num_games) % 3 == 0)
    copies, copies_there = games.copy(slice(None, None, -1), reseed=5), there.copy(slice(None, None, -1), reseed=5)
    same("copies", copies_there.state, copies.state)
    same("decisions with restarts", there.play_random(100, restart=True), games.play_random(100, restart=True))
    same_games("restarts")
    there.synchronize()
    return list(differences)


def sanitized() -> bool:
    """Run the same under compute-sanitizer, if there is one."""
    sanitizer = shutil.which("compute-sanitizer")
    if sanitizer is None:
        print("compute-sanitizer is not installed: whether arrays are left is not checked", flush=True)
        return True
    command = [sanitizer, "--error-exitcode", "1", sys.executable, __file__, "--no-sanitizer"]
    done = subprocess.run([*command, "--games", str(SANITIZED_GAMES)], check=False)
    print(f"compute-sanitizer: {'nothing found' if done.returncode == 0 else 'FOUND ERRORS'}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
