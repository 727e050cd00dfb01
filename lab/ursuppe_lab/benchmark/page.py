"""The page of a run: the figures of an agent in a task, beside those of the package."""

from ursuppe_lab.benchmark.results import Results
from ursuppe_lab.benchmark.table import table_of
from ursuppe_lab.benchmark.task import Task
from ursuppe_lab.reports.page import render_page


def page_of(task: Task, results: Results) -> str:
    """One HTML file that needs nothing else."""
    return render_page(
        "ursuppe_lab.benchmark",
        "report.html.j2",
        task=task,
        results=results,
        figures=results.found,
        rows=table_of(task, [] if results.development else [results]),
    )
