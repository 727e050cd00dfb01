"""Every kernel of the package as machine code, without a GPU: `make gpu-compile`.

    python tests/gpu/compile.py

Kernels are those that ``GamesCuda`` and ``ScriptedSeats`` launch when all is called that they have, with the arguments
of those launches. Each is compiled for ``ARCHITECTURES`` by numba-cuda and assembled by ptxas. The exit status is 1 if
one needs a stack or spills registers, writes words where they may lie anywhere, or rounds otherwise than a processor.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assembly import Architecture, MachineCode, assembled

from ursuppe_agents.scripted.on_gpu import ScriptedSeats
from ursuppe_env import Ruleset
from ursuppe_env.cuda import GamesCuda, bodies

from support.host_device import HostDevice

ARCHITECTURES: tuple[Architecture, ...] = ((8, 0), (9, 0))
PLAYERS = (3, 4, 5, 6)

#: What these write lies anywhere: so many bytes at once at most (observations are float32).
WIDEST_STORE = {bodies.write_mask: 1, bodies.observe: 4}

Launch = tuple[Callable[..., None], tuple[Any, ...]]


def main() -> int:
    faults = 0
    print(f"{'kernel':22} {'players':7} {'sm':3} {'registers':>9} {'stack':>5} {'spills':>6} {'cubin':>7} {'s':>5}")
    for players, (body, arguments) in kernels():
        for architecture in ARCHITECTURES:
            began = time.perf_counter()
            code = assembled(body, arguments, architecture)
            took = time.perf_counter() - began
            print(
                f"{body.__name__:22} {players:<7} {architecture[0]}{architecture[1]:<2} {code.registers:>9} "
                f"{code.stack:>5} {code.spills:>6} {code.size:>7} {took:>5.1f} {wrong(body, code)}",
                flush=True,
            )
            faults += bool(wrong(body, code))
    print(f"{faults} of them wrong" if faults else "all of them as they must be")
    return 1 if faults else 0


def wrong(body: Callable[..., None], code: MachineCode) -> str:
    """What is wrong with it, in a few words; "" if nothing is."""
    if code.stack or code.spills:
        return "needs a stack"
    if code.widest_store > WIDEST_STORE.get(body, 16):
        return f"writes {code.widest_store} bytes at once where they may lie anywhere"
    return "rounds products and sums together" if code.is_fused else ""


def kernels() -> Iterator[tuple[int, Launch]]:
    """Each kernel once, with a number of players and arguments; those whose types depend on it, with each number."""
    known = set()
    for players in PLAYERS:
        for body, arguments in launches(players):
            types = (body, *(_type(argument) for argument in arguments))
            if types not in known:
                known.add(types)
                yield players, (body, arguments)


def launches(players: int) -> list[Launch]:
    """What is launched when everything is called."""
    device = HostDevice()
    games = GamesCuda(2, Ruleset(players=players), device=device)
    for name in ("player", "decision", "finished", "winner", "rounds", "markers"):
        getattr(games, name)
    games.observe(seat=device.from_host(np.zeros(2, np.int64)), rules=True, masks=games.legal())
    games.step(ScriptedSeats(games, ["breeder", "hunter"]).act())
    games.step_random()
    games.play_random(5, restart=True)
    games.reset(mask=games.finished)
    games.copy(reseed=1)
    return device.launched


def _type(argument: Any) -> Any:
    return (argument.dtype, argument.ndim) if isinstance(argument, np.ndarray) else type(argument)


if __name__ == "__main__":
    sys.exit(main())
