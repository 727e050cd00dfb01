"""``python -m ursuppe_env``: the command ``ursuppe``."""

from ursuppe_env.cli import main

main()
