"""What ``asv`` measures (docs/performance.md says how), with the games of ``ursuppe speed``; else public names only."""
