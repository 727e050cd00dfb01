"""How fast the package is: what ``ursuppe bench`` measures, and what docs/performance.md reports.

Everything is measured by wall time, several times over; a ``Figure`` keeps all repetitions. Only public names of the
package are used, so that ``benchmarks/compare.py`` can measure other revisions of it with this very code.

In the order of the benchmark: ``batches`` (many games at once), ``single`` (one game), ``processes`` (starting and
compiling), ``peers`` (games of other packages); ``plan`` lists them, ``figures`` has what they give, and
``provenance`` tells what they depend on.
"""

from ursuppe_env.bench.batches import BATCHES, COLUMNS, SMALLEST_THREADED_BATCH, decisions_per_game, measure_batch
from ursuppe_env.bench.figures import FULL, QUICK, Effort, Figure, Goal, Measure, Unavailable
from ursuppe_env.bench.plan import Job, jobs
from ursuppe_env.bench.provenance import circumstances, cores
from ursuppe_env.bench.single import measure_aec

__all__ = [
    "BATCHES",
    "COLUMNS",
    "FULL",
    "QUICK",
    "SMALLEST_THREADED_BATCH",
    "Effort",
    "Figure",
    "Goal",
    "Job",
    "Measure",
    "Unavailable",
    "circumstances",
    "cores",
    "decisions_per_game",
    "jobs",
    "measure_aec",
    "measure_batch",
]
