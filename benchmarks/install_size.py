"""What an installation takes: megabytes per dependency, packages, and seconds by the clock and on a slow line.

    python benchmarks/install_size.py [--extra numeric]

A wheel of this checkout is installed into a new environment, as `pip install .` does. The first table has one row per
dependency of the plain installation: what it is for, what its own files take, and what would not be installed without
it, which are the packages that nothing else needs. With `--extra NAME` (again for more) a second table says what the
extra adds to the plain installation.

Megabytes are millions of bytes of the installed files, with the byte code that pip makes. The seconds of the slow line
are computed from the bytes that were downloaded, not measured. Runs for a minute, and for another one per extra.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import NamedTuple

import checkout  # noqa: F401
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from assay.languages import read_yaml

ROOT = Path(__file__).parents[1]
SLOW_LINE = 10e6 / 8  # bytes per second of 10 Mbit/s

PURPOSES: Mapping[str, str] = read_yaml(Path(__file__).with_name("dependencies.yaml"), dict[str, str])
"""What each dependency of the plain installation is for."""


class Package(NamedTuple):
    """One installed distribution."""

    requires: tuple[Requirement, ...]
    megabytes: float


class Installation(NamedTuple):
    """An environment that Assay's wheel was installed into."""

    packages: Mapping[str, Package]
    downloaded: int
    download_seconds: float
    install_seconds: float

    def needed_by(self, *requirements: Requirement) -> set[str]:
        """The installed packages that are needed for these."""
        needed: set[str] = set()
        visited: set[tuple[str, frozenset[str]]] = set()
        pending = list(requirements)
        while pending:
            requirement = pending.pop()
            name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
            if name not in self.packages or (name, extras) in visited:
                continue
            visited.add((name, extras))
            needed.add(name)
            pending += [indirect for indirect in self.packages[name].requires if applies(indirect, extras)]
        return needed

    def megabytes(self, names: Iterable[str]) -> float:
        """What the files of these packages take."""
        return sum(self.packages[name].megabytes for name in names)


def applies(requirement: Requirement, extras: Iterable[str] = ()) -> bool:
    """Whether a requirement holds here, with these extras of the package that declares it."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def read_package(package: Distribution) -> Package:
    """Reads what a distribution needs and takes, before its folder goes."""
    files = [Path(str(file.locate())) for file in package.files or ()]
    size = sum(file.stat().st_size for file in files if file.is_file())
    return Package(tuple(map(Requirement, package.requires or ())), size / 1e6)


def build_wheel(folder: Path) -> Path:
    """Builds the wheel from a copy: a build writes beside its sources."""
    left_out = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests", "docs", "benchmarks")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, folder / "source"]
    subprocess.run(command, check=True)
    return next(folder.glob("assay-*.whl"))


def install(wheel: Path, extra: str = "") -> Installation:
    """Downloads a wheel and what it needs, from an empty cache, and installs them into a new environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment, files = folder / "environment", folder / "files"
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [environment / "bin" / "python", "-m", "pip"]
        wanted = f"{wheel}[{extra}]" if extra else str(wheel)
        started = time.perf_counter()
        subprocess.run([*pip, "download", "-q", "--no-cache-dir", "-d", files, wanted], check=True)
        downloaded = time.perf_counter()
        local = ["--no-cache-dir", "--no-index", "--find-links", files]
        subprocess.run([*pip, "install", "-q", *local, wanted], check=True)
        installed = time.perf_counter()
        folders = [str(path) for path in environment.glob("lib/*/site-packages")]
        packages = {canonicalize_name(package.name): read_package(package) for package in distributions(path=folders)}
        size = sum(file.stat().st_size for file in files.iterdir() if not file.name.startswith("assay-"))
        packages = {name: package for name, package in packages.items() if name not in {"pip", "setuptools"}}
        return Installation(packages, size, downloaded - started, installed - downloaded)


def print_dependencies(plain: Installation) -> None:
    """Prints the plain installation: one row per dependency, the largest first, and the sum."""
    direct = [requirement for requirement in plain.packages["assay"].requires if applies(requirement)]
    rows = []
    for requirement in direct:
        name = canonicalize_name(requirement.name)
        others = [other for other in direct if other is not requirement]
        alone = plain.needed_by(requirement) - plain.needed_by(*others)
        rows.append((plain.packages[name].megabytes, plain.megabytes(alone), len(alone), name))
    print("| dependency | for | MB | less without it |\n|---|---|---:|---:|")
    for megabytes, less, count, name in sorted(rows, reverse=True):
        packages = f", {count} packages" if count > 1 else ""
        print(f"| {name} | {PURPOSES[name]} | {megabytes:.1f} | {f'{less:.1f}{packages}' if count else '-'} |")
    own = {canonicalize_name(requirement.name) for requirement in direct}
    others = plain.packages.keys() - own - {"assay"}
    print(f"| what these need | {len(others)} packages | {plain.megabytes(others):.1f} | |")
    print(f"| assay | | {plain.packages['assay'].megabytes:.1f} | |")
    print(f"\n{describe(plain)}")


def describe(installation: Installation) -> str:
    """Says in one line what an installation takes."""
    return (
        f"{len(installation.packages)} packages, {installation.megabytes(installation.packages):.0f} MB; "
        f"{installation.downloaded / 1e6:.0f} MB to download in {installation.download_seconds:.0f} s here "
        f"({installation.downloaded / SLOW_LINE:.0f} s computed for a line of 10 Mbit/s), "
        f"{installation.install_seconds:.0f} s to install"
    )


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extra", action="append", default=[], help="what this extra adds; again for more")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        plain = install(wheel)
        print_dependencies(plain)
        if options.extra:
            print("\n| extra | MB more | packages more | MB more to download |\n|---|---:|---:|---:|")
        for extra in options.extra:
            larger = install(wheel, extra)
            added = larger.packages.keys() - plain.packages.keys()
            downloaded = (larger.downloaded - plain.downloaded) / 1e6
            print(f"| `{extra}` | {larger.megabytes(added):.0f} | {len(added)} | {downloaded:.0f} |", flush=True)


if __name__ == "__main__":
    main()
