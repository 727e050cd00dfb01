"""What ``asv`` measures (docs/performance.md says how). Public names only, so that it can measure older commits too."""
