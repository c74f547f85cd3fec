"""Lists the published figures that are older than the code that they measure, with the commands that measure them anew.

    python benchmarks/published_figures.py [--all]

`figures.yaml` has each figure: the words that the documentation quotes, the command, the commit that it was measured
at, and the code that it is about. After measuring one again, change the documentation and the figure's `text`, `commit`
and `date`. A change of the code need not change the figure; the list says where to look.
"""

import argparse
import subprocess
from datetime import date
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_table
from pydantic import BaseModel, ConfigDict, Field

from assay.languages import read_yaml

ROOT = Path(__file__).parent.parent
FIGURES = Path(__file__).with_name("figures.yaml")


class PublishedFigure(BaseModel):
    """A figure that the documentation claims.

    Attributes:
        id: Its name.
        text: The words of the documentation that have the figure; the white space between them does not count.
        quoted_in: The page that has these words.
        command: What measures it.
        commit: The last commit that it is known to have been measured at.
        date: The day of that commit.
        code: Files and folders that it measures.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    text: str = Field(min_length=8)
    quoted_in: str
    command: str
    commit: str = Field(pattern=r"^[0-9a-f]{7,40}$")
    date: date
    code: list[str] = Field(min_length=1)


def read_figures(file: Path = FIGURES) -> list[PublishedFigure]:
    """Reads the published figures.

    Args:
        file: The YAML file.
    """
    return read_yaml(file, list[PublishedFigure])


def find_last_change(figure: PublishedFigure, root: Path = ROOT) -> str:
    """Finds the last change of a figure's code since it was measured: commit and day; "" where there is none.

    Args:
        figure: The figure.
        root: The checkout, with its history.
    """
    command = ["git", "log", "-1", "--format=%h, %as", f"{figure.commit}..HEAD", "--", *figure.code]
    log = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if log.returncode:
        return "unknown: the history here lacks the commit (git fetch --unshallow)"
    return log.stdout.strip()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the figures that are up to date too")
    options = parser.parse_args()
    figures = read_figures()
    changes = {figure.id: find_last_change(figure) for figure in figures}
    rows = [
        (figure.id, f"{figure.commit}, {figure.date}", changes[figure.id] or "-", figure.quoted_in, figure.command)
        for figure in figures
        if options.all or changes[figure.id]
    ]
    older = sum(map(bool, changes.values()))
    title = f"{older} of {len(figures)} published figures are older than the last change of the code that they measure"
    print_table(title, ("figure", "measured at", "code changed", "quoted in", "command"), rows)


if __name__ == "__main__":
    main()
