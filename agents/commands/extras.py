"""What a command needs beyond the package itself."""

from importlib.util import find_spec


def check_extra(extra: str, *modules: str) -> None:
    """Say how to install what is missing, before games are played in vain.

    Raises:
        ValueError: one of the modules is not installed.
    """
    for name in modules:
        if find_spec(name) is None:
            raise ValueError(f"{name} is not installed; install it with: pip install 'ursuppe-env[{extra}]'")
