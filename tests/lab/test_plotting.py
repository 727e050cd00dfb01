"""Pictures: whatever a name is, it is drawn as it is; and what is drawn can be read on light and on dark."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from ursuppe_lab.reports.plotting import (
    COLOURS,
    DARK,
    LIGHT,
    STYLE,
    as_file,
    as_svg,
    draw_legend,
    name_lines,
    points,
    shortened,
)
from ursuppe_lab.statistics import Interval

from support.colours import contrast

DOCS = Path(__file__).parents[2] / "docs"
NAMES = (
    "policy:model=$best$.zip",  # mathematics, to Matplotlib
    "a$b_{c}^2.zip",
    r"\frac{1}{2}$",
    "_hidden",  # a label that Matplotlib leaves out
    "<b>&amp;</b>",
    'x id="y" url(#z) "#w',
    "#010203",  # the colour that stands for the page's
    "-->",
    "変形虫 🦠",  # not in the font that the widths are measured with
)


def drawn(names, legend=True) -> Figure:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(6, 3), layout="constrained")
        axes = figure.subplots()
        points(axes, [Interval(0.5, 0.4, 0.6)] * len(names), np.arange(len(names)))
        name_lines(axes, names)
        if legend:
            draw_legend(figure, {name: axes.plot([], [], "o")[0] for name in names})
    return figure


def texts(svg: str | bytes) -> list[str]:
    return [element.text for element in ET.fromstring(svg).iter() if element.tag.endswith("}text")]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_drawn_as_it_is(name):
    for svg in (as_svg(drawn([name]), "picture", "said"), as_file(drawn([name]), "picture", "said")):
        assert texts(svg).count(name) == 2  # beside its line, and in the legend


def test_a_name_of_two_lines_is_drawn_in_one():
    assert texts(as_svg(drawn(["a\nb"]), "picture", "said")).count(r"a\nb") == 2


def test_a_long_name_leaves_room_for_the_plot():
    name = f"policy:model={'deep/' * 200}best.zip"
    assert shortened(name).startswith("policy:m…")
    assert shortened(name).endswith("/deep/best.zip")
    figure = drawn([name, f"{name}2", f"{name}3", f"{name}4"])
    as_svg(figure, "picture", "said")  # which lays it out
    [legend], [axes] = figure.legends, figure.axes
    assert legend.get_window_extent().x1 <= figure.bbox.x1
    assert axes.get_window_extent().width > figure.bbox.width / 3


def test_a_page_lends_a_picture_its_ink():
    svg = as_svg(drawn(["a"]), "picture", "said")
    assert "currentColor" in svg
    assert not re.search(r"#(fff|000|010203)", svg)


def test_a_file_has_an_ink_and_a_ground_for_either_scheme():
    svg = as_file(drawn(["a"]), "picture", "said").decode()
    root = ET.fromstring(svg)
    assert root.get("color") == LIGHT[0]  # for readers without style sheets
    [ground] = [element for element in root if element.get("class") == "ground"]
    assert ground.get("fill") == LIGHT[1]
    dark = svg.partition("@media (prefers-color-scheme: dark)")[2].partition("</style>")[0]
    assert f"color: {DARK[0]}" in dark
    assert f".ground {{fill: {DARK[1]}}}" in dark


@pytest.mark.parametrize("ground", [LIGHT[1], DARK[1], "#14191f"])  # the last one: of dark reports
def test_all_colours_can_be_seen(ground):
    assert min(contrast(colour, ground) for colour in COLOURS) >= 3  # what the guidelines ask of graphics
    assert contrast(LIGHT[0] if ground == LIGHT[1] else DARK[0], ground) >= 7


@pytest.mark.parametrize("picture", sorted((DOCS / "images").glob("*.svg")), ids=lambda path: path.name)
def test_no_picture_of_the_documentation_is_a_white_box_in_the_dark(picture):
    """Those of boards come in pairs; all others know the scheme themselves."""
    if picture.stem.endswith(("-light", "-dark")):
        pair = [picture.with_stem(f"{picture.stem.rpartition('-')[0]}-{theme}") for theme in ("light", "dark")]
        assert all(one.exists() for one in pair)
        return
    content = picture.read_text()
    assert "@media (prefers-color-scheme: dark)" in content
    white = [tag for tag in re.findall(r"<[^>]*#ffffff[^>]*>", content) if 'class="ground"' not in tag]
    assert white == []
    assert "currentColor" in content


def test_the_pictures_of_notebooks_are_turned_round_in_the_dark():
    style = (DOCS / "stylesheets" / "extra.css").read_text()
    assert re.search(r'\[data-md-color-scheme="slate"\] [^{]*img\[src\$=".png"\] \{\s*filter: invert', style)
