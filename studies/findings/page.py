"""The page of the findings: what it means in plain words, then the figures, then how to repeat them.

A section is a function of the results that gives its Markdown, from its heading on. To add one, write it in a module of
its own, give ``Results`` what it reads, and put it into ``SECTIONS``, and its answer in a line or two into
``IN_SHORT``. Those of ``adaptation`` follow them.
"""

from collections.abc import Callable, Iterable, Sequence

from studies.findings.adaptation.options import LIKELIEST
from studies.findings.editions import editions_in_short, editions_section
from studies.findings.genes import genes_in_short, genes_section
from studies.findings.lead import lead_section
from studies.findings.overview import overview, players_section
from studies.findings.places import bids_section, places_in_short, places_section
from studies.findings.prices import fairer_in_short, fairer_section
from studies.findings.results import POLICIES, Played, Results
from studies.findings.strength import strength_in_short, strength_section
from studies.findings.wording import markdown_table
from ursuppe_agents.registry import agent_spec, parameters_of
from ursuppe_env import __version__
from ursuppe_lab.arena import Tournament
from ursuppe_lab.balance import study_names
from ursuppe_lab.balance.fairer import FairerSearch
from ursuppe_lab.balance.trials import GeneStudy
from ursuppe_lab.statistics import FALSE_DISCOVERIES

_TAKES = "two hours of two cores, four hours of one"  # measured, with three policies that adapt

#: The answers, each a list of lines.
IN_SHORT: tuple[Callable[[Results], list[str]], ...] = (
    genes_in_short,
    strength_in_short,
    places_in_short,
    editions_in_short,
    fairer_in_short,
)
#: The figures, in the order of the page.
SECTIONS: tuple[Callable[[Results], str], ...] = (
    players_section,
    genes_section,
    strength_section,
    places_section,
    bids_section,
    lead_section,
    editions_section,
    fairer_section,
)


def findings_page(results: Results) -> str:
    """The page in Markdown, which has its pictures in the folder ``wording.IMAGES`` beside it."""
    answers = [sentence for part in IN_SHORT for sentence in part(results)]
    answers += [sentence for section in results.sections for sentence in section.in_short]
    in_short = "\n".join(f"- {sentence}" for sentence in answers)
    texts = [section(results) for section in SECTIONS] + [section.text for section in results.sections]
    sections = "\n\n".join(texts)
    return f"""# The balance of the game

<!-- Written by `python -m studies.findings`; changes by hand are lost. -->

{overview(results)}

## The answers in short

What the [balance laboratory](balance-lab.md) of ursuppe-env {__version__} says about the game as it is printed. From
here on it is for those who know statistics. A *setting* is a number of players and an edition. All intervals are 95 %.
There are hundreds, and by chance alone one in twenty would mislead. So something is called cheap, dear, fairer or best,
or is bold, only where it stands among all statements of its kind at a false discovery rate of
{100 * FALSE_DISCOVERIES:.0f} % (Benjamini-Hochberg); else no difference is shown, however the figure looks.

{in_short}

{sections}

{_repeat_section(results)}
"""


def _repeat_section(results: Results) -> str:
    rows = [_study(name, study) for name, study in results.studies.items()]
    rows += [
        [f"`{one.name}`", _lineups(one.lineups), f"{one.games:,}", str(one.seed)] for one in results.adaptation.outlines
    ]
    return f"""## Repeat it

```text
python -m studies.findings{_policies(results)}{_adapting(results)}
```

plays these studies into `runs/balance/`, resumes them if it was interrupted, and writes this page. Planned for
{_TAKES}. `--policy SPEC`,
which may be given several times, adds a policy for 4 players to the [agents that are
compared](#verdicts-against-strength): one of another seed, or one that was trained against one of them. A study whose
name is a link comes with the package, and can be played alone, with a report of all its figures: `ursuppe balance NAME
--out runs/balance/NAME`. The last ones, and their options, have [a section of their
own](balance-lab.md#balance-that-survives-adaptation).

{markdown_table(["NAME", "lineups", "games", "seed"], rows, texts=2)}

*games*: in all, of all lineups with all rulesets; in trials of genes each has dozens of branches, in bids two."""


def _policies(results: Results) -> str:
    """The option by which policies were added."""
    study = results.studies.get(POLICIES)
    if not isinstance(study, GeneStudy):
        return ""
    return "".join(f" --policy {_as_given(spec)}" for [spec] in study.lineups)


def _adapting(results: Results) -> str:
    """The options by which other policies adapt than that of the package, and specialists were added."""
    adaptation = results.adaptation
    said = [
        f" --policy-{study.players} {spec}"
        for study in adaptation.bars
        for spec in study.policies
        if study.policies != (LIKELIEST,)
    ]
    said += [
        f" --specialist {players}:{name}={spec}"
        for (players, name), specs in adaptation.specialists.items()
        for spec in specs
    ]
    return "".join(said)


def _as_given(spec: str) -> str:
    """The spec without what is true of all of them."""
    name, parameters = parameters_of(spec)
    return agent_spec(name, **{key: value for key, value in parameters.items() if key != "deterministic"})


def _study(name: str, study: Played) -> list[str]:
    comes = f"[`{name}`](balance-lab.md)" if name in study_names() else f"`{name}`"
    of_games = study.trials if isinstance(study, FairerSearch) else study
    if isinstance(of_games, Tournament):
        return [comes, f"{len(of_games.lineups)} mixed tables", f"{of_games.total_games:,}", str(of_games.seed)]
    lineups = _lineups(of_games.lineups)
    rounds = f"; rounds {min(of_games.rounds)} to {max(of_games.rounds)}" if isinstance(of_games, GeneStudy) else ""
    return [comes, lineups + rounds, f"{study.total_games:,}", str(of_games.seed)]


def _lineups(lineups: Iterable[Sequence[str]]) -> str:
    return "; ".join(", ".join(f"`{agent}`" for agent in seated) for seated in lineups)
