"""The fields of a ruleset as a form needs them, from their declarations."""

from typing import Any

from ursuppe_env import Ruleset
from ursuppe_env.render.svg.tables import gene_title
from ursuppe_env.render.svg.theme import PLAYERS
from ursuppe_env.rules.genes import GENE_NAMES
from ursuppe_env.rules.ruleset import EDITIONS, MAX_PLAYERS, MIN_PLAYERS, NUMBERS, PER_GENE, PRESETS, SWITCHES


def fields_of_rulesets() -> dict[str, Any]:
    """Every number and switch: meaning, limits, and what is printed by edition and number of players; and the presets.

    Genes have titles and players colours, for people.
    A number by gene has the kind "genes"; one for each place of the track "places"; the environment cards are a kind of
    their own.
    """
    fields = [
        {"name": name, "kind": _kind(name), "meaning": told["meaning"], "low": told["low"], "high": told["high"]}
        for name, told in NUMBERS.items()
    ]
    fields += [{"name": name, "kind": "switch", "meaning": told["meaning"]} for name, told in SWITCHES.items()]
    printed = {
        f"{edition}-{players}": _values(Ruleset(players=players, edition=edition))
        for edition in EDITIONS
        for players in range(MIN_PLAYERS, MAX_PLAYERS + 1)
    }
    presets = {name: {"edition": preset.edition, "ruleset": preset.changes} for name, preset in PRESETS.items()}
    return {
        "fields": fields,
        "genes": {name: gene_title(gene) for gene, name in enumerate(GENE_NAMES)},
        "colours": [colour.name.capitalize() for colour in PLAYERS],
        "printed": printed,
        "presets": presets,
    }


def _kind(name: str) -> str:
    if name in PER_GENE:
        return "genes"
    if name == "environment":
        return "cards"
    return "places" if name in ("amoeba_places", "gene_places") else "number"


def _values(ruleset: Ruleset) -> dict[str, Any]:
    return {name: getattr(ruleset, name) for name in (*NUMBERS, *SWITCHES)}
