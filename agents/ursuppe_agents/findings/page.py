"""The page of the findings: the answers in short, then the figures, then how to repeat them."""

from importlib.metadata import version

from ursuppe_agents.balance.fairer import FairerSearch
from ursuppe_agents.balance.files import AnyStudy
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.findings.agreement import agreement_in_short, agreement_section
from ursuppe_agents.findings.editions import editions_in_short, editions_section
from ursuppe_agents.findings.genes import genes_in_short, genes_section
from ursuppe_agents.findings.pictures import GENES_PICTURE, PLACES_PICTURE, PRICES_PICTURE
from ursuppe_agents.findings.places import places_in_short, places_section
from ursuppe_agents.findings.prices import fairer_section, prices_in_short, prices_section
from ursuppe_agents.findings.results import Results
from ursuppe_agents.findings.wording import table

# Of everything together, as it was measured.
_TAKES = "half an hour on two cores that have other work"


def findings_page(results: Results, images: str) -> str:
    """The page in Markdown.

    Args:
        results: of all studies.
        images: the folder with the pictures, as seen from the page.
    """
    in_short = "\n".join(
        f"- {sentence}"
        for part in (genes_in_short, places_in_short, editions_in_short, prices_in_short, agreement_in_short)
        for sentence in part(results)
    )
    return f"""# The balance of the game

<!-- Written by `python -m ursuppe_agents.findings`; changes by hand are lost. -->

What the [balance laboratory](balance-lab.md) of ursuppe-env {version("ursuppe-env")} says about the game as it is
printed. A *setting* is a number of players and an edition. All intervals hold 95 %. Something is called cheap, dear or
fairer only where its interval says so; where it does not, no difference is shown, however the figure looks.

## In short

{in_short}

{genes_section(results)}

![Surplus of each gene under each agent, with intervals]({images}/{GENES_PICTURE})

{agreement_section(results)}

{places_section(results)}

![Wins by start place under each agent, with intervals]({images}/{PLACES_PICTURE})

{editions_section(results)}

{prices_section(results)}

![Share of players who buy a gene and wins of its owners by price]({images}/{PRICES_PICTURE})

{fairer_section(results)}

## Repeat it

```text
python -m ursuppe_agents.findings
```

plays these studies into `runs/balance/`, goes on where it was interrupted, and writes this page. It takes
{_TAKES}. Each study can be played alone, with a report of all its figures:

```text
ursuppe balance NAME --out runs/balance/NAME
```

{table(["NAME", "tables", "games", "seed"], [_study(name, study) for name, study in results.studies.items()], texts=2)}

*games*: in all, at all tables with all rulesets; in trials of genes each has dozens of branches.
"""


def _study(name: str, study: AnyStudy) -> list[str]:
    of_games = study.trials if isinstance(study, FairerSearch) else study
    tables = "; ".join(", ".join(f"`{agent}`" for agent in seated) for seated in of_games.tables)
    rounds = f"; rounds {min(of_games.rounds)} to {max(of_games.rounds)}" if isinstance(of_games, GeneStudy) else ""
    return [f"`{name}`", tables + rounds, f"{study.total_games:,}", str(of_games.seed)]
