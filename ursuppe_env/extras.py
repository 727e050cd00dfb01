"""What the extras of the package bring (pyproject.toml), and how to install what is missing.

A module that needs an extra imports it ``with extra(...)``; whatever would do half of its work before the first import
that fails calls ``require_extra`` first.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

_ARENA = ("polars", "scipy", "matplotlib", "jinja2")

#: The modules of each extra that a part of the package needs.
EXTRAS = {
    "arena": _ARENA,
    "balance": (*_ARENA, "optuna"),
    "ray": ("ray",),
    "cuda": ("numba_cuda", "cuda"),
    "rllib": ("ray", "tree"),  # Ray alone has no tree
    "torchrl": ("torch", "tensordict", "torchrl"),
    "openspiel": ("pyspiel", "open_spiel"),
    "web": ("starlette", "uvicorn", *_ARENA),
    "train": ("torch", "stable_baselines3", "sb3_contrib", "tensorboard", "tomli_w", "tqdm", *_ARENA),
}


class MissingExtraError(ModuleNotFoundError):
    """A module of an extra is not installed; the message says how to install it, and ``name`` is the module's."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports of what an extra brings: if a module of it is not installed, that is a ``MissingExtraError``."""
    try:
        yield
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if module not in EXTRAS[name]:
            raise
        raise _missing(name, module) from None


def require_extra(name: str) -> None:
    """See that all of an extra is there, without importing it; else it is a ``MissingExtraError``."""
    for module in EXTRAS[name]:
        if find_spec(module) is None:
            raise _missing(name, module)


def _missing(name: str, module: str) -> MissingExtraError:
    return MissingExtraError(
        f"{module} is not installed; install it with: pip install 'ursuppe-env[{name}]'", name=module
    )
