"""Which answers are bad: by ratings where there are some, else by a metric; and the texts that say why."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ...errors import UsageError
from ...eval_sets.turns import is_turn
from ...metrics.score import flawless
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure
from ...text.wording import count_of
from ..answers.rating_direction import rates_pair, rating_of_answer
from .failure_texts import AnswerRecord, FailureText, RunRecords, is_about_contexts, read_peoples_texts

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

_WORST_SHARE = 0.25


class BadAnswer(NamedTuple):
    """One bad answer: its record, and the texts that say why it is bad; none where nobody says why."""

    record: AnswerRecord
    texts: tuple[FailureText, ...]


@dataclass(frozen=True)
class BadAnswers:
    """The bad answers of one run."""

    run: RunRecords
    answers: dict[str, AnswerRecord]  # those that count, by id: the rated ones, or those with a value of the metric
    bad: dict[str, BadAnswer]  # those of them that are bad, by id
    unused: int  # verdicts that are not used, as a person says why the answer is bad


class BadRule(NamedTuple):
    """What makes an answer bad: a metric ("" for ratings), and the rule in words."""

    metric: str
    words: str


def select_bad_answers(runs: Sequence[RunRecords], metric: str | None = None) -> tuple[BadRule, list[BadAnswers]]:
    """Selects the bad answers of runs, by one rule for all of them.

    Where every run has ratings: those that are rated below the middle of their scale. Else, or where a metric is named,
    by the metric: of one with verdicts those with a claim that is contradicted or not found (a request not met, a rule
    broken, a criterion below its middle); of one that says yes or no those that fail; of any other the worst quarter.
    """
    bases = [_rated(run) for run in runs]
    if metric is None and all(bases):
        selected = [
            _bad_of(run, base, {name for name, one in base.items() if (one.sample.rating_share or 0) < 0.5}, "")
            for run, base in zip(runs, bases, strict=True)
        ]
        return BadRule("", "rated below the middle of the scale"), selected
    unrated = [run.run for run, base in zip(runs, bases, strict=True) if not base]
    if metric is None and len(unrated) < len(runs):
        why = f", as {', '.join(unrated)} has no ratings"
    else:
        has_pairs = any(rates_pair(one.sample) for run in runs for one in run.answers.values())
        unrated_why = "its ratings say which of two answers is better" if has_pairs else "no answer is rated"
        why = "" if metric else f", as {unrated_why}"
    name = metric or _first_metric(runs)
    scored = [{key: one for key, one in run.answers.items() if name in one.values} for run in runs]
    for run, base in zip(runs, scored, strict=True):
        if not base:
            known = ", ".join(run.directions) or "none"
            raise UsageError(f"run {run.run} has no value of the metric {name!r}; its metrics are {known}")
    words, bad = _bad_by_metric(name, scored, higher=runs[-1].directions[name])
    return BadRule(name, f"{words}{why}"), [
        _bad_of(run, base, names, name) for run, base, names in zip(runs, scored, bad, strict=True)
    ]


def _rated(run: RunRecords) -> dict[str, AnswerRecord]:
    """The rated answers; of each conversation itself where it is rated, with what its turns' scores say, else them."""
    rated = {name: one for name, one in run.answers.items() if rating_of_answer(one.sample) is not None}
    turns: dict[str, list[AnswerRecord]] = {name: [] for name in rated}
    for one in run.answers.values():
        if is_turn(one.sample) and (whole := turns.get(_conversation(one))) is not None:
            whole.append(one)
    return {
        name: _with_turns(one, turns[name])
        for name, one in rated.items()
        if not is_turn(one.sample) or _conversation(one) not in rated
    }


def _conversation(turn: AnswerRecord) -> str:
    return str(turn.sample.metadata["conversation"])


def _with_turns(record: AnswerRecord, turns: Sequence[AnswerRecord]) -> AnswerRecord:
    """The record of a conversation, with the verdicts on its turns."""
    if not turns:
        return record
    verdicts = dict(record.verdicts)
    for turn in turns:
        for metric, texts in turn.verdicts.items():
            verdicts[metric] = (*verdicts.get(metric, ()), *texts)
    return replace(record, verdicts=verdicts)


def count_others(selected: BadAnswers) -> int:
    """Counts the answers of a run that do not count; a conversation and its turns are not counted beside each other."""
    records, counted = selected.run.answers, selected.answers
    with_turns = {_conversation(one) for one in records.values() if is_turn(one.sample)}
    return sum(
        name not in counted and name not in with_turns and not (is_turn(one.sample) and _conversation(one) in counted)
        for name, one in records.items()
    )


def _first_metric(runs: Sequence[RunRecords]) -> str:
    """The first metric with a value in all runs: one that is no baseline, where there is one."""
    shared = [
        name
        for name in runs[-1].directions
        if all(any(name in one.values for one in run.answers.values()) for run in runs)
    ]
    if not shared:
        raise UsageError(
            f"{', '.join(run.run for run in runs)}: no answer is rated, and no metric has a value; rate answers (assay "
            "rate), or run with another metric"
        )
    return next((name for name in shared if name not in ALL_BASELINES), shared[0])


def _bad_by_metric(
    metric: str, scored: Sequence[dict[str, AnswerRecord]], *, higher: bool
) -> tuple[str, list[set[str]]]:
    """The rule of a metric in words, and the bad answers of each run by it."""
    import numpy as np

    if any(metric in one.verdicts for base in scored for one in base.values()):
        words = f"with a bad verdict of {metric} (such as a claim that is contradicted or not found)"
        return words, [{name for name, one in base.items() if one.verdicts.get(metric)} for base in scored]
    values: Floats = np.array([one.values[metric] for base in scored for one in base.values()])
    if set(values.tolist()) <= {0.0, 1.0}:
        worst = 0.0 if higher else 1.0
        words = f"that fail {metric} (value {worst:g})"
        return words, [{name for name, one in base.items() if one.values[metric] == worst} for base in scored]
    wanted = max(1, int(_WORST_SHARE * len(values)))
    bound = float((np.sort(values) if higher else np.sort(values)[::-1])[wanted - 1])
    best = flawless(float(values.min()), float(values.max()), is_higher_better=higher)

    def is_bad(value: float) -> bool:
        return value != best and (value <= bound if higher else value >= bound)

    of_runs = " of all runs" if len(scored) > 1 else ""
    words = f"in the worst quarter{of_runs} by {metric} ({Figure('value', bound)} or {'less' if higher else 'more'}"
    bad = [{name for name, one in base.items() if is_bad(one.values[metric])} for base in scored]
    count = sum(map(len, bad))
    if count > wanted:
        words += (
            f"; {count:,} of {len(values):,}, as {count_of(int((values == bound).sum()), 'answer')} share this value"
        )
    return words + ")", bad


def _bad_of(run: RunRecords, base: dict[str, AnswerRecord], names: set[str], metric: str) -> BadAnswers:
    bad, unused = dict[str, BadAnswer](), 0
    for name, record in base.items():
        if name not in names:
            continue
        of_people = list(read_peoples_texts(record.sample))
        own = list(_verdicts(record, metric)) if metric else []
        if metric and not own and record.reasons.get(metric):
            own = [FailureText("metric", record.reasons[metric], metric)]
        of_judges = list(_verdicts(record, ""))  # also where the metric that was named says nothing in words
        chosen = own or of_people or of_judges
        unused += len(_distinct(of_judges)) if not own and of_people else 0
        bad[name] = BadAnswer(record, tuple(_distinct(chosen)))
    return BadAnswers(run, base, bad, unused)


def _verdicts(record: AnswerRecord, metric: str) -> Iterable[FailureText]:
    """The bad verdicts of one metric, or ("") of all that are about the answer."""
    for name, texts in record.verdicts.items():
        if name == metric or (not metric and not is_about_contexts(name)):
            yield from texts


def _distinct(texts: Iterable[FailureText]) -> list[FailureText]:
    """The texts without repetitions: two metrics judge the same claims, two raters may write the same words."""
    return list({(text.kind, text.text.casefold()): text for text in reversed(list(texts))}.values())[::-1]
