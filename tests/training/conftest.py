"""The workers of pytest-xdist share the cores; evaluations of tiny runs are not worth a process."""

import pytest
import torch

from ursuppe_training.runs import evaluations as run_evaluations

from support.training import Here

torch.set_num_threads(1)


@pytest.fixture(scope="module", autouse=True)
def _evaluations_here(request):
    """Evaluations are played in this process, but for modules that have ``BESIDE = True``."""
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "BESIDE", False):
            patch.setattr(run_evaluations, "Beside", Here)
        yield
