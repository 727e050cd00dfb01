"""A process that trains with the first one, which alone writes files, evaluates and speaks."""

from ursuppe_training.config import TrainingConfig
from ursuppe_training.devices import AUTO
from ursuppe_training.processes import Processes
from ursuppe_training.runs.trainer import Trainer


class Follower:
    """What the processes of a run do that ``torchrun`` started beside the first one.

    Args:
        config: the settings of the run.
        processes: that train together.
        device: as for ``Trainer``.
        threads: as for ``Trainer``.
    """

    def __init__(
        self, config: TrainingConfig, processes: Processes, device: str = AUTO, threads: int | None = None
    ) -> None:
        self._trainer = Trainer(config, device, threads, processes)

    def train(self) -> None:
        """Train with the others, to the end."""
        self._trainer.share(None)
        self._trainer.run()
