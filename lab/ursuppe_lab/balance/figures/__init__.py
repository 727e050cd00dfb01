"""What came out of studies: differences, what genes are worth, verdicts, and how unequal genes are."""

from ursuppe_lab.balance.figures import comparison, effects, spread, verdicts, worth

__all__ = ["comparison", "effects", "spread", "verdicts", "worth"]
