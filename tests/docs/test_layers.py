"""Imports point one way, without circles."""

import logging
from pathlib import Path

from importlinter.cli import lint_imports

CONTRACTS = Path(__file__).parents[2] / "pyproject.toml"


def test_imports_keep_to_the_layers_of_pyproject(capsys):
    loggers = [logger for logger in logging.root.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    were_off = [logger.disabled for logger in loggers]
    status = lint_imports(config_filename=str(CONTRACTS), no_cache=True, no_logo=True)
    for logger, was_off in zip(loggers, were_off, strict=True):  # the linter switches all off; other tests read some
        logger.disabled = was_off
    assert status == 0, capsys.readouterr().out
