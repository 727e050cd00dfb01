"""The benchmark: named tasks, results that can be put beside others, and checks of every game of them."""

from ursuppe_env.extras import extra

with extra("arena"):
    from ursuppe_lab.benchmark.entry import Entry, entry_digest
    from ursuppe_lab.benchmark.figures import Figures
    from ursuppe_lab.benchmark.results import Results, read_results
    from ursuppe_lab.benchmark.run import run_task
    from ursuppe_lab.benchmark.table import shipped_results, table_of
    from ursuppe_lab.benchmark.task import Task, task_named, task_names
    from ursuppe_lab.benchmark.verify import verify

__all__ = [
    "Entry",
    "Figures",
    "Results",
    "Task",
    "entry_digest",
    "read_results",
    "run_task",
    "shipped_results",
    "table_of",
    "task_named",
    "task_names",
    "verify",
]
