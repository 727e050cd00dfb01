"""Do the pages work in a browser?

    python tests/browser/run.py [--install]

Drives the system's Chromium. Without one it says in a line what is left out; with --install it installs Debian's
package first where it can. The tests leave pictures of every page in build/browser.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from chromium import executable

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGE = "chromium"


def main() -> int:
    parser = argparse.ArgumentParser(description="Do the pages work in a browser?")
    parser.add_argument("--install", action="store_true", help="install Debian's Chromium where there is none")
    wants_one = parser.parse_args().install
    if executable() is None and wants_one:
        install()
    if executable() is None:
        print(f"Left out: the pages in a browser, since there is no Chromium (apt-get install {PACKAGE})", flush=True)
        return 0
    print("The pages in Chromium (2 minutes)", flush=True)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", HERE], cwd=ROOT, check=False).returncode


def install() -> None:
    """Where this is a Debian and we may."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return
    print(f"Installing {PACKAGE} ...", flush=True)
    for command in (["update"], ["install", "-y", "--no-install-recommends", PACKAGE]):
        done = subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return


if __name__ == "__main__":
    sys.exit(main())
