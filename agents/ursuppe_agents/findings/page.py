"""The page of the findings: the answers in short, then the figures, then how to repeat them."""

from ursuppe_agents.balance.fairer import FairerSearch
from ursuppe_agents.balance.files import AnyStudy
from ursuppe_agents.balance.trials import GeneStudy
from ursuppe_agents.findings.agreement import agreement_in_short, agreement_section
from ursuppe_agents.findings.editions import editions_in_short, editions_section
from ursuppe_agents.findings.genes import genes_in_short, genes_section
from ursuppe_agents.findings.places import places_in_short, places_section
from ursuppe_agents.findings.plots import GENES_PLOT, PLACES_PLOT, PRICES_PLOT
from ursuppe_agents.findings.prices import fairer_section, prices_in_short, prices_section
from ursuppe_agents.findings.results import Results
from ursuppe_agents.findings.wording import markdown_table
from ursuppe_agents.statistics import FALSE_DISCOVERIES
from ursuppe_env import __version__

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
    studies = [_study(name, study) for name, study in results.studies.items()]
    return f"""# The balance of the game

<!-- Written by `python -m ursuppe_agents.findings`; changes by hand are lost. -->

What the [balance laboratory](balance-lab.md) of ursuppe-env {__version__} says about the game as it is
printed. A *setting* is a number of players and an edition. All intervals are 95 %. There are hundreds, and by chance
alone one in twenty would mislead. So something is called cheap, dear, fairer or best, or is bold, only where it stands
among all statements of its kind at a false discovery rate of {100 * FALSE_DISCOVERIES:.0f} % (Benjamini-Hochberg); else
no difference is shown, however the figure looks.

## In short

{in_short}

{genes_section(results)}

![What buying each gene does under each agent, with intervals]({images}/{GENES_PLOT})

{agreement_section(results)}

{places_section(results)}

![Wins by start place under each agent, with intervals]({images}/{PLACES_PLOT})

{editions_section(results)}

{prices_section(results)}

![Share of players who buy a gene and wins of its owners by price]({images}/{PRICES_PLOT})

{fairer_section(results)}

## Repeat it

```text
python -m ursuppe_agents.findings
```

plays these studies into `runs/balance/`, resumes them if it was interrupted, and writes this page. It takes
{_TAKES}. Each study can be played alone, with a report of all its figures:

```text
ursuppe balance NAME --out runs/balance/NAME
```

{markdown_table(["NAME", "lineups", "games", "seed"], studies, texts=2)}

*games*: in all, of all lineups with all rulesets; in trials of genes each has dozens of branches.
"""


def _study(name: str, study: AnyStudy) -> list[str]:
    of_games = study.trials if isinstance(study, FairerSearch) else study
    lineups = "; ".join(", ".join(f"`{agent}`" for agent in seated) for seated in of_games.lineups)
    rounds = f"; rounds {min(of_games.rounds)} to {max(of_games.rounds)}" if isinstance(of_games, GeneStudy) else ""
    return [f"`{name}`", lineups + rounds, f"{study.total_games:,}", str(of_games.seed)]
