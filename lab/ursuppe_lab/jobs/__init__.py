"""What every long study shares: jobs done by workers, kept part by part, so that a run can be resumed."""
