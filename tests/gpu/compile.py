"""Every kernel as machine code, and all that surrounds it, without a GPU: `make gpu-compile`.

    python tests/gpu/compile.py

Games are played as `make gpu-test` plays them, with everything real but the GPU (``doorstep.py``): numba-cuda compiles,
links and prepares the launches, and the processor does what the threads would do; what comes out is compared byte for
byte. The exit status is 1 if anything differs, or if a kernel needs a stack or spills registers, writes words where
they may lie anywhere, or rounds otherwise than a processor.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import compare
from doorstep import Architecture, Doorstep, at_doorstep
from machine_code import MachineCode, machine_code_of

from ursuppe_env import Ruleset
from ursuppe_env.cuda import bodies
from ursuppe_env.cuda.device import Body, kernel_of

ARCHITECTURES: tuple[Architecture, ...] = ((8, 0), (9, 0))
PLAYERS = (3, 4, 5, 6)
NUM_GAMES = 3

#: What these write lies anywhere: so many bytes at once at most (observations are float32).
WIDEST_STORE = {bodies.write_mask: 1, bodies.observe: 4}


def main() -> int:
    faults = 0
    print(f"{'kernel':22} {'sm':3} {'registers':>9} {'stack':>5} {'spills':>6} {'cubin':>7}")
    for architecture in ARCHITECTURES:
        known: set[object] = set()
        with at_doorstep(architecture):
            for players in PLAYERS:
                faults += look_at_all(players, architecture, known)
    print(f"{faults} things are wrong" if faults else "all is as it must be")
    return 1 if faults else 0


def look_at_all(players: int, architecture: Architecture, known: set[object]) -> int:
    """Play with so many players, and look at the kernels that were compiled for it; how much is wrong."""
    began, door = time.perf_counter(), Doorstep()
    differences = compare([Ruleset(players=players), Ruleset(players=players, edition="1997")], NUM_GAMES, door)
    faults = len(differences)
    for body in door.bodies:
        for kernel in kernel_of(body).overloads.values():
            if kernel not in known:
                known.add(kernel)
                code = machine_code_of(kernel)
                print(
                    f"{body.__name__:22} {architecture[0]}{architecture[1]:<2} {code.registers:>9} {code.stack:>5} "
                    f"{code.spills:>6} {code.size:>7} {wrong(body, code)}",
                    flush=True,
                )
                faults += bool(wrong(body, code))
    result = f"DIFFERENT: {', '.join(differences)}" if differences else "the same as on the processor"
    print(f"{players} players: {result} ({time.perf_counter() - began:.0f} s)", flush=True)
    return faults


def wrong(body: Body, code: MachineCode) -> str:
    """What is wrong with it, in a few words; "" if nothing is."""
    if code.stack or code.spills:
        return "needs a stack"
    if code.widest_store > WIDEST_STORE.get(body, 16):
        return f"writes {code.widest_store} bytes at once where they may lie anywhere"
    return "rounds products and sums together" if code.is_fused else ""


if __name__ == "__main__":
    sys.exit(main())
