"""What ``asv`` measures (docs/performance.md says how), with the games of ``ursuppe bench``; else public names only."""
