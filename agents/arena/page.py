"""Pages that need nothing else: one HTML file with its style and pictures."""

from importlib.metadata import version
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from ursuppe_agents.arena.tables import table_name


def render_page(package: str, template: str, **values: Any) -> str:
    """A page from a template that extends ``page.html.j2``.

    Args:
        package: that the template is in.
        template: its file.
        values: what it shows.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("ursuppe_agents.arena", ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["table_name"] = table_name
    return environment.get_template(template).render(version=version("ursuppe-env"), **values)
