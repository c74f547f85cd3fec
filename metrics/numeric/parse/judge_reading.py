"""Reading a claim with a judge, where the grammar cannot: it says which words mean what, and computes nothing."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field

from ....eval_sets.sample import Sample
from ....judges import Judge, Question, Usage
from ....languages import load_language
from ....prompts import Prompts
from ....text.numbers import Number, find_numbers
from ..compute.statistics import STATISTICS
from ..lexicon import lexicon
from ..quantities import HEDGES
from ..specification import ALL_ROWS, Direction, Hedge, Specification, Statistic, Window
from ..tables import Table, View, time_text
from .clause import Clause, read_clause
from .scene import Scene
from .sentence_reading import ReadCheck, Unread

NOTHING = "none"
_MOST_COLUMNS = 40


_STATISTICS = (*STATISTICS, NOTHING)


def _is_statistic(name: str) -> str:
    if name not in _STATISTICS:
        raise ValueError(f"{name!r} is none of {', '.join(_STATISTICS)}")
    return name


class ReadSpecification(BaseModel):
    """One check as the judge writes it: names and words, copied; no result."""

    statistic: Annotated[str, AfterValidator(_is_statistic), Field(json_schema_extra={"enum": [*_STATISTICS]})]
    series: str = ""
    window: str = ""
    place: str = ""
    compared_with: str = ""
    compared_window: str = ""
    value: str = ""
    threshold: str = ""
    direction: Literal["up", "down", "flat", ""] = ""
    hedge: Hedge = Hedge.EXACT


class ReadSpecifications(BaseModel):
    """The judge's reply."""

    checks: list[ReadSpecification]


class _CannotUse(Exception):
    """What the judge wrote does not fit the claim or the table; the text is the reason."""


def reading_question(
    sample: Sample, claim: str, tables: Sequence[Table], prompts: Prompts
) -> Question[ReadSpecifications]:
    """What the judge is asked about one claim."""
    prompt = prompts.load("numeric", sample.language)
    described = "\n".join(describe(table) for table in tables)
    listed = {
        "statistics": _listed([(entry.statistic, entry.described) for entry in STATISTICS.values()]),
        "hedges": _listed([(entry.hedge, entry.described) for entry in HEDGES.values()]),
    }
    user = prompt.render({"tables": described, "question": sample.user_input, "claim": claim} | listed)
    return Question(prompt, user, ReadSpecifications, sample.id, prompts=prompts)


def _listed(entries: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"{name}: {described}" for name, described in entries)


def describe(table: Table) -> str:
    """A table's columns in a line, with units and the times that it reaches over; no values."""
    parts = []
    if table.times is not None and len(known := table.times.dropna()):
        reach = f"{time_text(known.min(), table.period)}..{time_text(known.max(), table.period)}"
        parts.append(f"{table.time_column or 'time'} ({reach})")
    texts = [str(c) for c in table.labels.columns if c != table.time_column and c not in table.columns]
    parts += [f"{name} (text)" for name in texts]
    parts += [f"{name} [{table.units[name]}]" if name in table.units else name for name in table.columns]
    more = len(parts) - _MOST_COLUMNS
    listed = [*parts[:_MOST_COLUMNS], f"and {more} more"] if more > 0 else parts
    return f"{table.name}: {', '.join(listed)}"


async def read_by_judge(
    sample: Sample, claim: str, scene: Scene, judge: Judge, prompts: Prompts
) -> tuple[list[ReadCheck | Unread], Usage]:
    """The checks of a claim as the judge reads it. Raises `JudgeError`.

    A number or a word that is not in the claim (or, for windows, in the question), or a series that is not in a table,
    makes the check unread: what the judge adds is not checked.
    """
    tables = [view.table for view, _ in scene.views if not view.transposed]
    reply = await judge.ask(reading_question(sample, claim, tables, prompts))
    checks = [each for each in reply.value.checks if each.statistic != NOTHING]
    if not checks:
        return [Unread(claim, "the judge finds nothing in it that can be computed")], reply.usage
    return [_used(each, claim, scene) for each in checks], reply.usage


def _used(read: ReadSpecification, claim: str, scene: Scene) -> ReadCheck | Unread:
    problems = []
    for view, _ in scene.views:
        try:
            made = tuple((each, view.table) for each in _specifications(read, claim, view, scene))
        except _CannotUse as problem:
            problems.append(str(problem))
            continue
        if made:
            return ReadCheck(claim, (made,))
    return Unread(claim, f"the judge's reading cannot be used: {problems[0] if problems else 'no table'}")


def _specifications(read: ReadSpecification, claim: str, view: View, scene: Scene) -> Iterator[Specification]:
    statistic = Statistic(read.statistic)
    for needed in STATISTICS[statistic].needs:
        if not getattr(read, needed):
            raise _CannotUse(f"a {read.statistic} has no {needed}")
    series = _series(read.series, view)
    if series is None and statistic is not Statistic.COUNT:
        raise _CannotUse(f"{read.series!r} is no series of {view.table.name}")
    other = _series(read.compared_with, view) if read.compared_with else None
    if read.compared_with and other is None:
        raise _CannotUse(f"{read.compared_with!r} is no series of {view.table.name}")
    value = _number(read.value, claim, scene.language)
    threshold = _number(read.threshold, claim, scene.language)
    windows = _windows(read.window, claim, view, scene)
    compared = _windows(read.compared_window, claim, view, scene) if read.compared_window else [None]
    places = _windows(read.place, claim, view, scene) if read.place else [None]
    for window, against, place in product(windows, compared, places):
        yield Specification(
            statistic,
            series,
            window,
            value=value.value if value else None,
            unit=value.unit if value else None,
            decimals=value.decimals if value else 0,
            hedge=read.hedge,
            direction=Direction(read.direction) if read.direction else None,
            compared_with=other,
            compared_window=against,
            threshold=threshold.value if threshold else None,
            threshold_unit=threshold.unit if threshold else None,
            place=place,
            table=view.table.name,
        )


def _series(name: str, view: View) -> str | None:
    folded = {column.casefold(): column for column in view.table.columns}
    return folded.get(name.strip().casefold())


def _number(written: str, claim: str, language: str) -> Number | None:
    if not written.strip():
        return None
    if written.strip().casefold() not in claim.casefold():
        raise _CannotUse(f"{written!r} is not in the claim")
    found = find_numbers(written, load_language(language))
    if len(found) != 1:
        raise _CannotUse(f"{written!r} is not one number")
    return found[0]


def _windows(written: str, claim: str, view: View, scene: Scene) -> list[Window]:
    words = " ".join(written.split())
    if not words:
        return list(scene.scope) or [ALL_ROWS]
    said = f"{claim} {scene.question}".casefold()
    if words.casefold() not in " ".join(said.split()):
        raise _CannotUse(f"{written!r} is not in the claim")
    names = next(names for each, names in scene.views if each is view)
    clause: Clause = read_clause(words, lexicon(scene.language), view, names)
    if not clause.times and not clause.cells:
        if clause.of("whole"):
            return [ALL_ROWS]
        raise _CannotUse(f"{written!r} names no time or row of {view.table.name}")
    windows = clause.windows(clause.times, clause.cells)
    if not windows:
        raise _CannotUse(f"{written!r} is not one time of {view.table.name}")
    return windows
