"""Which answers are bad: by ratings where there are some, else by a metric; and the texts that say why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.turns import is_turn
from ...metrics.score import flawless
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure
from ...text.wording import count_of
from ..answers.rating_direction import rates_pair, rating_of_answer
from ..answers.table import AnswerTable
from .failure_texts import (
    LONGEST,
    FailureText,
    is_about_contexts,
    join_single_answers,
    read_peoples_texts,
    read_verdicts,
)

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

_WORST_SHARE = 0.25


@dataclass(frozen=True)
class BadAnswers:
    """The bad answers of one version."""

    table: AnswerTable
    answers: Mapping[str, Sample]  # those that count, by id: the rated ones, or those with a value of the metric
    bad: Mapping[str, tuple[FailureText, ...]]  # by the id of each that is bad, the texts that say why
    unused: int  # verdicts that are not used, as a person says why the answer is bad


class BadRule(NamedTuple):
    """What makes an answer bad: a metric ("" for ratings), and the rule in words."""

    metric: str
    words: str


def select_bad_answers(tables: Sequence[AnswerTable], metric: str | None = None) -> tuple[BadRule, list[BadAnswers]]:
    """Selects the bad answers of runs, by one rule for all of them.

    Where every run has ratings: those that are rated below the middle of their scale. Else, or where a metric is named,
    by the metric: of one with verdicts those with a claim that is contradicted or not found (a request not met, a rule
    broken, a criterion below its middle); of one that says yes or no those that fail; of any other the worst quarter.
    """
    tables = [join_single_answers(table) for table in tables]
    rated = [_rated(table) for table in tables]
    if metric is None and all(rated):
        selected = [
            _bad_of(table, base, {name for name, sample in base.items() if (sample.rating_share or 0) < 0.5}, "")
            for table, base in zip(tables, rated, strict=True)
        ]
        return BadRule("", "rated below the middle of the scale"), selected
    unrated = [table.run or "" for table, base in zip(tables, rated, strict=True) if not base]
    if metric is None and len(unrated) < len(tables):
        why = f", as {', '.join(unrated)} has no ratings"
    else:
        has_pairs = any(rates_pair(sample) for table in tables for sample in table.samples.values())
        unrated_why = "its ratings say which of two answers is better" if has_pairs else "no answer is rated"
        why = "" if metric else f", as {unrated_why}"
    name = metric or _first_metric(tables)
    values = [table.values(name) if name in table.directions else {} for table in tables]
    for table, of_table in zip(tables, values, strict=True):
        if not of_table:
            known = ", ".join(table.directions) or "none"
            raise UsageError(f"run {table.run or ''} has no value of the metric {name!r}; its metrics are {known}")
    words, bad = _bad_by_metric(name, tables, values)
    return BadRule(name, f"{words}{why}"), [
        _bad_of(table, {key: table.samples[key] for key in of_table}, names, name)
        for table, of_table, names in zip(tables, values, bad, strict=True)
    ]


def _rated(table: AnswerTable) -> dict[str, Sample]:
    """The rated answers; of each conversation itself where it is rated, else its turns."""
    rated = {name: sample for name, sample in table.samples.items() if rating_of_answer(sample) is not None}
    return {name: sample for name, sample in rated.items() if not is_turn(sample) or _conversation(sample) not in rated}


def _conversation(turn: Sample) -> str:
    return str(turn.metadata["conversation"])


def count_others(selected: BadAnswers) -> int:
    """Counts the answers of a run that do not count; a conversation and its turns are not counted beside each other."""
    samples, counted = selected.table.samples, selected.answers
    with_turns = {_conversation(sample) for sample in samples.values() if is_turn(sample)}
    return sum(
        name not in counted and name not in with_turns and not (is_turn(sample) and _conversation(sample) in counted)
        for name, sample in samples.items()
    )


def _first_metric(tables: Sequence[AnswerTable]) -> str:
    """The first metric with a value in all runs: one that is no baseline, where there is one."""
    shared = [name for name in tables[-1].directions if all(table.values(name) for table in tables)]
    if not shared:
        raise UsageError(
            f"{', '.join(table.run or '' for table in tables)}: no answer is rated, and no metric has a value; rate "
            "answers (assay rate), or run with another metric"
        )
    return next((name for name in shared if name not in ALL_BASELINES), shared[0])


def _bad_by_metric(
    metric: str, tables: Sequence[AnswerTable], scored: Sequence[Mapping[str, float]]
) -> tuple[str, list[set[str]]]:
    """The rule of a metric in words, and the bad answers of each run by it."""
    import numpy as np

    verdicts = [
        {name: _verdicts(table, name, metric) for name in base} for table, base in zip(tables, scored, strict=True)
    ]
    if any(texts is not None for of_table in verdicts for texts in of_table.values()):
        words = f"with a bad verdict of {metric} (such as a claim that is contradicted or not found)"
        return words, [{name for name, texts in of_table.items() if texts} for of_table in verdicts]
    higher = tables[-1].directions[metric]
    values: Floats = np.array([value for base in scored for value in base.values()])
    if set(values.tolist()) <= {0.0, 1.0}:
        worst = 0.0 if higher else 1.0
        words = f"that fail {metric} (value {worst:g})"
        return words, [{name for name, value in base.items() if value == worst} for base in scored]
    wanted = max(1, int(_WORST_SHARE * len(values)))
    bound = float((np.sort(values) if higher else np.sort(values)[::-1])[wanted - 1])
    best = flawless(float(values.min()), float(values.max()), is_higher_better=higher)

    def is_bad(value: float) -> bool:
        return value != best and (value <= bound if higher else value >= bound)

    of_runs = " of all runs" if len(scored) > 1 else ""
    words = f"in the worst quarter{of_runs} by {metric} ({Figure('value', bound)} or {'less' if higher else 'more'}"
    bad = [{name for name, value in base.items() if is_bad(value)} for base in scored]
    count = sum(map(len, bad))
    if count > wanted:
        words += (
            f"; {count:,} of {len(values):,}, as {count_of(int((values == bound).sum()), 'answer')} share this value"
        )
    return words + ")", bad


def _bad_of(table: AnswerTable, base: Mapping[str, Sample], names: set[str], metric: str) -> BadAnswers:
    bad, unused = dict[str, tuple[FailureText, ...]](), 0
    turns: dict[str, list[str]] = {}  # of rated conversations: what their turns' scores say is about them
    for name, sample in table.samples.items() if not metric else ():
        if is_turn(sample):
            turns.setdefault(_conversation(sample), []).append(name)
    for name, sample in base.items():
        if name not in names:
            continue
        of_people = list(read_peoples_texts(sample))
        verdicts = _verdicts(table, name, metric) if metric else []
        own = verdicts or []
        if verdicts is None and metric not in ALL_BASELINES and (reason := table.scores[name][metric].reason):
            own = [FailureText("metric", reason[:LONGEST], metric)]
        of_judges = [  # also where the metric that was named says nothing in words
            text
            for other in table.directions
            if not is_about_contexts(other)
            for place in (name, *turns.get(name, ()))
            for text in _verdicts(table, place, other) or ()
        ]
        chosen = own or of_people or of_judges
        unused += len(_distinct(of_judges)) if not own and of_people else 0
        bad[name] = tuple(_distinct(chosen))
    return BadAnswers(table, base, bad, unused)


def _verdicts(table: AnswerTable, name: str, metric: str) -> list[FailureText] | None:
    """The bad verdicts of one metric on an answer; None of a metric that gives none."""
    score = table.scores.get(name, {}).get(metric)
    if score is None or score.value is None or metric in ALL_BASELINES:
        return None
    return read_verdicts(metric, score, table.samples[name])


def _distinct(texts: Iterable[FailureText]) -> list[FailureText]:
    """The texts without repetitions: two metrics judge the same claims, two raters may write the same words."""
    return list({(text.kind, text.text.casefold()): text for text in reversed(list(texts))}.values())[::-1]
