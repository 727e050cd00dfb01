"""What came out of studies: differences, what genes are worth, verdicts, and how unequal genes are."""
