"""Every kernel as machine code, and games without a GPU by the code that numba-cuda makes for one: `make gpu-compile`.

    python tests/gpu/compile.py

Games are played as `make gpu-test` plays them.
Everything is real but the driver and the GPU (``doorstep.py``):
numba-cuda compiles, links and prepares the launches, and the processor runs the LLVM code that it has made; what comes
out is compared byte for byte. Then the machine code is looked at. The exit status is 1 if anything differs, or if a
kernel needs a stack or spills registers, writes words where they may lie anywhere, or rounds unlike a processor.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from compare import Setting, compare, settings
from doorstep import Architecture, Doorstep, at_doorstep
from machine_code import MachineCode, machine_code_of

from ursuppe_env.cuda import bodies
from ursuppe_env.cuda.device import Body, kernel_of

ARCHITECTURES: tuple[Architecture, ...] = ((8, 0), (9, 0))
NUM_GAMES = 64  # in each setting: as many as there are rulesets that vary

#: What these write lies anywhere: so many bytes at once at most (observations are float32).
WIDEST_STORE = {bodies.write_mask: 1, bodies.observe: 4}


def main() -> int:
    found = settings()
    printed = [setting for setting in found if setting[0].endswith("1998, as printed")]
    first, *others = ARCHITECTURES
    # What the processor runs is the same for all of them; the others need only what compiles all kernels.
    faults = faults_on(first, found) + sum(faults_on(other, printed) for other in others)
    print(f"{faults} things are wrong" if faults else "all is as it must be")
    return 1 if faults else 0


def faults_on(architecture: Architecture, played: list[Setting]) -> int:
    """Play in these settings, and look at the kernels that were compiled for it; how much is wrong."""
    faults = 0
    with at_doorstep(architecture):
        door = Doorstep()
        for name, rulesets in played:
            began = time.perf_counter()
            differences = compare(rulesets, NUM_GAMES, door)
            result = f"DIFFERENT: {', '.join(differences)}" if differences else "the same"
            print(f"{name}: {NUM_GAMES} games, {result} ({time.perf_counter() - began:.1f} s)", flush=True)
            faults += len(differences)
        print(f"{'kernel':22} {'sm':3} {'registers':>9} {'stack':>5} {'spills':>6} {'cubin':>7}")
        for body in door.bodies:
            for kernel in kernel_of(body).overloads.values():
                code = machine_code_of(kernel)
                print(
                    f"{body.__name__:22} {architecture[0]}{architecture[1]:<2} {code.registers:>9} {code.stack:>5} "
                    f"{code.spills:>6} {code.size:>7} {wrong(body, code)}",
                    flush=True,
                )
                faults += bool(wrong(body, code))
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
