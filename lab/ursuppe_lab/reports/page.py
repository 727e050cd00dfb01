"""Pages that need nothing else: one HTML file with its style and pictures."""

from collections.abc import Callable, Mapping
from typing import Any

from ursuppe_agents.evaluator import Origin
from ursuppe_env import __version__
from ursuppe_env.extras import extra
from ursuppe_env.line import counted
from ursuppe_lab.reports.text import confidence_set, ends, lineup_name, plain, printable, value

with extra("arena"):
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def render_page(package: str, template: str, origins: Mapping[str, Origin] | None = None, **values: Any) -> str:
    """A page from a template of a package that extends ``page.html.j2``, with these values.

    At its end it tells the origins of the trained policies whose play is shown, by name.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("ursuppe_lab.reports", ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {words.__name__: words for words in (lineup_name, counted, printable)}
    environment.filters |= {words.__name__: _typeset(words) for words in (confidence_set, ends, plain, value)}
    environment.filters |= {"typeset": _typeset(str), "sentence": lambda words: f"{words[0].upper()}{words[1:]}."}
    return environment.get_template(template).render(version=__version__, origins=origins or {}, **values)


def _typeset(words: Callable[..., str]) -> Callable[..., str]:
    """The same words with signs of minus instead of hyphens."""
    return lambda *args: words(*args).replace("-", "−")
