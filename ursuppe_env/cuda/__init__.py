"""Games on a GPU: ``GamesCuda``, with the meanings of ``Games`` (docs/gpu.md).

The rules, the observations and the loops around them are those of the processor. ``games.py`` keeps the states on the
device and says what is wrong with arguments, ``bodies.py`` says what a thread does, ``bytewise.py`` has what a GPU must
do byte by byte, and ``device.py``, the only module that knows numba-cuda, compiles, allocates and launches.
"""

from ursuppe_env.cuda.games import GamesCuda

__all__ = ["GamesCuda"]
