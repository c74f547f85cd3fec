"""Lists the measurements that are older than the code that they measure, with the commands that measure them anew.

    python benchmarks/published_figures.py [--all]

`results/*.json` has each measurement: its figures, the words of other pages that quote them, the command, the commit
that it was measured at, and the code that it is about. After measuring one again, change its file, and the pages that
quote it, and run `python benchmarks/evidence.py`. A change of the code need not change a figure; the list says where to
look.
"""

import argparse
import subprocess
from pathlib import Path

import checkout  # noqa: F401
from benchmark_output import print_table
from measurement import NOT_RECORDED, Measurement, read_measurements

ROOT = Path(__file__).parent.parent


def find_last_change(measurement: Measurement, root: Path = ROOT) -> str:
    """Finds the last change of the measured code since the measurement: commit and day; "" where there is none.

    Args:
        measurement: The measurement.
        root: The checkout, with its history.
    """
    if measurement.commit is None:
        return "unknown: the commit was not recorded"
    command = ["git", "log", "-1", "--format=%h, %as", f"{measurement.commit}..HEAD", "--", *measurement.code]
    log = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if log.returncode:
        return "unknown: the history here lacks the commit (git fetch --unshallow)"
    return log.stdout.strip()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="the measurements that are up to date too")
    options = parser.parse_args()
    measurements = read_measurements()
    changes = {one.id: find_last_change(one) for one in measurements}
    rows = [
        (
            one.id,
            f"{one.commit or NOT_RECORDED}, {one.date or NOT_RECORDED}",
            changes[one.id] or "-",
            _pages(one),
            one.command,
        )
        for one in measurements
        if options.all or changes[one.id]
    ]
    older = sum(map(bool, changes.values()))
    title = f"{older} of {len(measurements)} measurements are older than the last change of the code that they measure"
    print_table(title, ("measurement", "measured at", "code changed", "quoted in", "command"), rows)


def _pages(measurement: Measurement) -> str:
    pages = [quote.page for quote in measurement.quotes] or ["docs/evidence.md"]
    return ", ".join(dict.fromkeys(pages))


if __name__ == "__main__":
    main()
