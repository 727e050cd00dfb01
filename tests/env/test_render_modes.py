"""What the render modes do: pixels, text, the cell of a notebook, a window, and what is said where there is none."""

import copy
import pickle
import sys
import time
from types import ModuleType, SimpleNamespace
from unittest.mock import Mock

import numpy as np
import pytest
from pettingzoo.test import render_test

from ursuppe_env import Games, ursuppe_v0
from ursuppe_env.envs.sb3 import UrsuppeVecEnv
from ursuppe_env.render.png import to_array
from ursuppe_env.render.screen import RENDER_MODES, Screen

FAST = 10_000  # pictures a second


class Notebook:
    """Stands in for a Jupyter kernel: what is displayed, cell by cell, with all updates of each picture."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shell = SimpleNamespace(kernel=object(), execution_count=1)
        self.pictures: list[list[str]] = []
        ipython, display = ModuleType("IPython"), ModuleType("IPython.display")
        ipython.get_ipython = lambda: self.shell
        display.SVG, display.display = str, self._display
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def _display(self, picture: str, display_id: bool) -> SimpleNamespace:
        assert display_id
        updates = [picture]
        self.pictures.append(updates)
        return SimpleNamespace(update=updates.append)


class Desktop(ModuleType):
    """Stands in for tkinter on a machine with a display."""

    class TclError(Exception):
        """As tkinter's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__("tkinter")
        self.windows: list[Mock] = []
        self.Label = Mock()
        monkeypatch.setitem(sys.modules, "tkinter", self)

    def Tk(self) -> Mock:
        window = Mock()
        window.destroy.side_effect = lambda: window.update.configure_mock(side_effect=AssertionError("it is closed"))
        self.windows.append(window)
        return window

    def PhotoImage(self, master: Mock) -> Mock:
        return master  # so that a window knows what it has shown

    def shown(self) -> list[bytes]:
        """What the first window has shown, one after the other."""
        return [call.kwargs["data"] for call in self.windows[0].configure.mock_calls]


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    return Notebook(monkeypatch)


@pytest.fixture
def desktop(monkeypatch: pytest.MonkeyPatch) -> Desktop:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    return Desktop(monkeypatch)


@pytest.fixture
def env(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(ursuppe_v0.raw_env.metadata, "render_fps", FAST)

    def make(render_mode: str | None):
        env = ursuppe_v0.env(num_players=3, render_mode=render_mode)
        env.reset(seed=1)
        return env

    return make


def step(env) -> None:
    mask = env.observe(env.agent_selection)["action_mask"]
    env.step(int(np.flatnonzero(mask)[0]))


def test_metadata():
    assert ursuppe_v0.env().metadata["render_modes"] == list(RENDER_MODES) == ["human", "rgb_array", "ansi"]


def test_pettingzoo_render(monkeypatch, notebook: Notebook, capsys):
    monkeypatch.setitem(ursuppe_v0.raw_env.metadata, "render_fps", FAST)
    render_test(ursuppe_v0.env)
    assert notebook.pictures


def test_rgb_array_is_the_picture_with_the_last_action(env):
    env = env("rgb_array")
    agent = env.agent_selection
    step(env)
    pixels = env.render()
    assert (pixels.shape, pixels.dtype) == ((768, 800, 3), np.uint8)
    assert (pixels == to_array(env.unwrapped.games.svg(0, f"{agent}: start 1"))).all()
    assert (pixels != to_array(env.unwrapped.games.svg(0))).any()


def test_ansi_is_text(env):
    env = env("ansi")
    agent = env.agent_selection
    step(env)
    assert f"{agent}: start 1" in env.render()


def test_human_shows_the_beginning_and_every_step(env, notebook: Notebook):
    env = env("human")
    step(env)
    step(env)
    assert env.render() is None  # nothing new to show
    (pictures,) = notebook.pictures
    assert len(pictures) == 3
    assert ["start 1" in picture for picture in pictures] == [False, True, False]
    assert pictures[-1] == env.unwrapped._repr_svg_()
    env.close()


@pytest.mark.parametrize("make", [ursuppe_v0.env, ursuppe_v0.raw_env])
def test_notebooks_show_an_environment_at_the_end_of_a_cell(make):
    env = make(num_players=3)
    env.reset(seed=1)
    agent = env.agent_selection
    step(env)
    assert env._repr_svg_() == env.unwrapped.games.svg(0, f"{agent}: start 1")


def test_without_a_mode_the_error_says_what_to_do(env):
    with pytest.raises(ValueError, match="make the environment with render_mode='human' or 'rgb_array' or 'ansi'"):
        env(None).render()
    with pytest.raises(ValueError, match="with render_mode='rgb_array' to draw it"):
        copy.deepcopy(UrsuppeVecEnv(2)).get_images()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_of_an_environment_shows_itself_in_a_place_of_its_own(env, notebook: Notebook, duplicate):
    env = env("human")
    twin = duplicate(env)
    step(twin)
    assert [len(pictures) for pictures in notebook.pictures] == [1, 1]
    step(env)
    assert [len(pictures) for pictures in notebook.pictures] == [2, 1]


def test_each_cell_of_a_notebook_has_its_own_picture(notebook: Notebook):
    games, screen = Games(3), Screen(FAST)
    screen.show(games.svg(0))
    screen.show(games.svg(1))
    notebook.shell.execution_count += 1
    screen.show(games.svg(2))
    assert notebook.pictures == [[games.svg(0), games.svg(1)], [games.svg(2)]]
    screen.close()


@pytest.mark.parametrize("shell", [None, SimpleNamespace(execution_count=1)])
def test_python_and_ipython_in_a_terminal_are_no_notebooks(notebook: Notebook, monkeypatch, shell):
    desktop = Desktop(monkeypatch)
    notebook.shell = shell
    Screen(FAST).show(Games(1).svg(0))
    assert notebook.pictures == []
    assert len(desktop.windows) == 1


def test_a_window_shows_one_picture_after_the_other_until_it_is_closed(desktop: Desktop):
    games, screen = Games(2), Screen(FAST)
    for i in (0, 1, 1, 0):
        screen.show(games.svg(i))
    (window,) = desktop.windows
    first, second, third = desktop.shown()  # the same picture again is not drawn again
    assert first.startswith(b"\x89PNG")
    assert first == third != second
    screen.close()
    screen.close()
    window.destroy.assert_called_once()
    screen.show(games.svg(0))
    assert len(desktop.windows) == 2
    screen.close()


def test_a_window_that_a_person_has_closed_stays_closed(desktop: Desktop):
    games, screen = Games(2), Screen(FAST)
    screen.show(games.svg(0))
    (window,) = desktop.windows
    event, close = window.protocol.call_args.args
    assert event == "WM_DELETE_WINDOW"
    close()
    screen.show(games.svg(1))
    assert len(desktop.windows) == len(desktop.shown()) == 1
    screen.close()
    window.destroy.assert_called_once()


@pytest.mark.parametrize("where", ["desktop", "notebook"])
def test_no_more_pictures_a_second_than_said(where: str, request):
    request.getfixturevalue(where)
    games, screen = Games(3), Screen(20)
    started = time.monotonic()
    for i in range(3):
        screen.show(games.svg(i))
    assert time.monotonic() - started >= 2 / 20


def test_a_window_answers_while_a_picture_has_its_time(desktop: Desktop):
    games, screen = Games(2), Screen(5)
    for picture in [games.svg(0), games.svg(1)]:
        screen.show(picture)
    assert desktop.windows[0].update.call_count > 3


def test_without_a_display_or_tkinter_the_error_names_the_other_modes(desktop: Desktop, env, monkeypatch):
    monkeypatch.setattr(desktop, "Tk", Mock(side_effect=Desktop.TclError("no display name")))
    with pytest.raises(RuntimeError, match=r"no display name.*use render_mode='ansi' or 'rgb_array'"):
        env("human")
    monkeypatch.setitem(sys.modules, "tkinter", None)
    with pytest.raises(RuntimeError, match=r"tkinter.*use render_mode='ansi' or 'rgb_array'"):
        env("human")
