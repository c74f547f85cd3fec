"""Prints what every benchmark prints: the machine, the versions, and tables."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import checkout  # noqa: F401
from scipy.stats import binomtest

from assay.meta_eval import Estimate
from assay.presentation import Figure

_PACKAGES = ("assay", "ragas", "litellm", "openai", "langchain-openai", "instructor", "pydantic")


def print_machine() -> None:
    """Prints processor, cores, load (other work on the machine makes every figure worse) and versions."""
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    print(f"machine: {_processor()}, {len(os.sched_getaffinity(0))} cores, load {load} before the start")
    print(f"versions: Python {platform.python_version()}, {', '.join(filter(None, map(_version, _PACKAGES)))}")


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints a table: columns aligned, numbers to the right, floats with three digits."""
    cells = [[*header], *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(header))]
    print(f"\n{title}")
    for row in cells:
        first, *others = zip(row, widths, strict=True)
        print("  ".join([first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]).rstrip())
    print(flush=True)


def format_share(outcomes: Sequence[bool]) -> str:
    """How often something came out, with Wilson's 95% interval."""
    return str(Figure.from_estimate("rate", estimate_proportion(sum(map(bool, outcomes)), len(outcomes))))


def estimate_proportion(count: int, total: int) -> Estimate:
    """Estimates count / total with its 95% interval (Wilson, 1927); without items there is no value."""
    interval = binomtest(count, total).proportion_ci(method="wilson") if total else (None, None)
    return Estimate(count / total if total else None, *interval, n=total)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return "" if value is None else str(value)


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}" if package == "ragas" else ""


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")
    return model or platform.processor() or platform.machine()
