"""Imports point one way, without circles."""

import logging
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

CONTRACTS = Path(__file__).parents[2] / "pyproject.toml"


@pytest.fixture(autouse=True)
def loggers_stay_on():
    """The linter switches off all loggers that are there already; other tests of this process read some."""
    loggers = [logger for logger in logging.root.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    were_off = [logger.disabled for logger in loggers]
    yield
    for logger, was_off in zip(loggers, were_off, strict=True):
        logger.disabled = was_off


def test_imports_keep_to_the_layers_of_pyproject(capsys):
    status = lint_imports(config_filename=str(CONTRACTS), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out
