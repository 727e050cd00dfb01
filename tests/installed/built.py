"""The sdist and the wheel: what is in them, compared with what git has, README.md, and the newest Python."""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

from readme_renderer.markdown import render

from support.environments import CONSTRAINTS, ROOT

#: The newest one that is supported; another may run this.
NEWEST_PYTHON = "3.14"


def tracked() -> set[str]:
    """The files of the project: those in git, and those that would be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    return {name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file()}


def build(work: Path) -> tuple[Path, Path]:
    """The sdist and the wheel, from a copy: what earlier builds left in the working tree does not get into them."""
    copy, out = work / "copy", work / "dist"
    for name in tracked():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name)
    built = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", out, copy],
        env=os.environ | {"PIP_CONSTRAINT": str(CONSTRAINTS)},  # the version of setuptools, too
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        sys.exit(built.stdout)
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


def unpack(sdist: Path, work: Path) -> Path:
    """The folder that is in it."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "sdist", filter="data")
    (folder,) = (work / "sdist").iterdir()
    return folder


def check_sdist(folder: Path) -> None:
    """It has what git has, and what setuptools adds."""
    found = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    added = {"PKG-INFO", "setup.cfg"} | {name for name in found if ".egg-info/" in name}
    _compare("in the sdist", found - added, tracked())


def check_wheel(wheel: Path) -> None:
    """It has what git has in the folders of the packages, under the names by which they are imported."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = settings["packages"]["find"]["where"]
    packages = [package for folder in folders for package in (ROOT / folder).glob("ursuppe_*/")]
    files = [ROOT / name for name in tracked()]
    expected = {
        file.relative_to(package.parent).as_posix()
        for package in packages
        for file in files
        if file.is_relative_to(package)
    }
    expected |= {f"{module}.py" for module in settings["py-modules"]}
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    _compare("in the wheel", found, expected)


def _compare(where: str, found: set[str], expected: set[str]) -> None:
    problems = [f"missing {where}: {name}" for name in sorted(expected - found)]
    problems += [f"{where}, but not in git: {name}" for name in sorted(found - expected)]
    if problems:
        sys.exit("\n".join([*problems, "See MANIFEST.in, and packages.find and package-data in pyproject.toml"]))


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def check_readme(wheel: Path) -> None:
    """A package index can show it."""
    metadata = _metadata(wheel)
    page = render(str(metadata.get_payload(decode=True), "utf-8"))
    if metadata["Description-Content-Type"] != "text/markdown" or page is None:
        sys.exit("a package index cannot show README.md")


def check_newest_python(wheel: Path, sources: Path) -> None:
    """Pip finds wheels of all that is needed there, with every extra; and the sources compile without a warning."""
    extras = _metadata(wheel).get_all("Provides-Extra", [])
    there = ["--python-version", NEWEST_PYTHON, "--only-binary=:all:", "--target", str(sources.parent / "none")]
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--dry-run"]
    subprocess.run([*pip, *there, f"{wheel}[{','.join(extras)}]"], check=True)
    subprocess.run([sys.executable, "-W", "error", "-m", "compileall", "-qf", sources], check=True)
