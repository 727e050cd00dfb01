"""The list of mutations fits the rules as they stand (``make mutation`` runs it)."""

from pathlib import Path

import pytest
from mutation.mutations import EQUIVALENT, MUTATIONS

RULES = Path(__file__).parents[2] / "ursuppe_env" / "rules"


@pytest.mark.parametrize(("module", "written", "mistake"), MUTATIONS)
def test_a_mutation_changes_one_place(module: str, written: str, mistake: str):
    [file] = RULES.rglob(f"{module}.py")
    text = file.read_text(encoding="utf-8")
    assert text.count(written) == 1
    assert written != mistake


def test_explanations_are_of_mutations():
    assert set(EQUIVALENT) <= {mutation[:2] for mutation in MUTATIONS}
