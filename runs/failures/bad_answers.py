"""Which answers are bad: by ratings where there are some, else by a metric; and the texts that say why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets import Sample
from ...eval_sets.turns import is_turn
from ...metrics.score import flawless
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure
from ..answers.rating_direction import rates_pair
from ..answers.table import AnswerTable
from .failure_texts import (
    FailureText,
    is_about_contexts,
    read_peoples_texts,
    read_verdicts,
)

if TYPE_CHECKING:
    from ...meta_eval.arrays import Floats

_WORST_SHARE = 0.25


@dataclass(frozen=True)
class BadAnswers:
    """The bad answers of a version."""

    table: AnswerTable
    metric: str  # what says which answers are bad; "" for ratings
    rule: str  # the rule in words
    answers: Mapping[str, Sample]  # those that count, by id: the rated ones, or those with a value of the metric
    bad: Mapping[str, tuple[FailureText, ...]]  # by the id of each that is bad, the texts that say why


def select_bad_answers(table: AnswerTable, metric: str | None = None) -> BadAnswers:
    """Selects the bad answers of a run.

    With ratings: those that are rated below the middle of their scale. Else, or where a metric is named, by the metric:
    of one with verdicts those with a claim that is contradicted or not found (a request not met, a rule broken, a
    criterion below its middle); of one that says yes or no those that fail; of any other the worst quarter.
    """
    rated = {name: sample for name, sample in table.rated_rows.items() if not rates_pair(sample)}
    if metric is None and rated:
        names = {name for name, sample in rated.items() if (sample.rating_share or 0) < 0.5}
        return BadAnswers(table, "", "rated below the middle of the scale", rated, _texts_of(table, rated, names, ""))
    has_pairs = any(map(rates_pair, table.samples.values()))
    unrated_why = "its ratings say which of two answers is better" if has_pairs else "no answer is rated"
    scored = {name: values for name in table.directions if (values := table.values(name))}
    name = metric or next((name for name in scored if name not in ALL_BASELINES), next(iter(scored), ""))
    if name not in scored:
        what = f"of the metric {name!r}" if name else "of a metric, and no answer is rated (assay rate)"
        known = ", ".join(table.directions) or "none"
        raise UsageError(f"run {table.run or ''} has no value {what}; its metrics are {known}")
    values = scored[name]
    words, names = _bad_by_metric(name, table, values)
    answers = {key: table.samples[key] for key in values}
    rule = words if metric else f"{words}, as {unrated_why}"
    return BadAnswers(table, name, rule, answers, _texts_of(table, answers, names, name))


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


def _bad_by_metric(metric: str, table: AnswerTable, scored: Mapping[str, float]) -> tuple[str, set[str]]:
    """The rule of a metric in words, and the bad answers by it."""
    import numpy as np

    verdicts = {name: _verdicts(table, name, metric) for name in scored}
    if any(texts is not None for texts in verdicts.values()):
        words = f"with a bad verdict of {metric} (such as a claim that is contradicted or not found)"
        return words, {name for name, texts in verdicts.items() if texts}
    higher = table.directions[metric]
    values: Floats = np.array([*scored.values()])
    if set(values.tolist()) <= {0.0, 1.0}:
        worst = 0.0 if higher else 1.0
        return f"that fail {metric} (value {worst:g})", {name for name, value in scored.items() if value == worst}
    wanted = max(1, int(_WORST_SHARE * len(values)))
    bound = float((np.sort(values) if higher else np.sort(values)[::-1])[wanted - 1])
    best = flawless(float(values.min()), float(values.max()), is_higher_better=higher)

    def is_bad(value: float) -> bool:
        return value != best and (value <= bound if higher else value >= bound)

    words = f"in the worst quarter by {metric} ({Figure('value', bound)} or {'less' if higher else 'more'})"
    return words, {name for name, value in scored.items() if is_bad(value)}


def _texts_of(
    table: AnswerTable, answers: Mapping[str, Sample], names: set[str], metric: str
) -> dict[str, tuple[FailureText, ...]]:
    """What says why each bad answer is bad: the metric that says so, else people, else other judges."""
    bad = dict[str, tuple[FailureText, ...]]()
    turns: dict[str, list[str]] = {}  # of rated conversations: what their turns' scores say is about them
    for name, sample in table.samples.items() if not metric else ():
        if is_turn(sample):
            turns.setdefault(_conversation(sample), []).append(name)
    for name, sample in answers.items():
        if name not in names:
            continue
        own = _verdicts(table, name, metric) if metric else []
        of_judges = [  # also where the metric that was named says nothing in words
            text
            for other in table.directions
            if not is_about_contexts(other)
            for place in (name, *turns.get(name, ()))
            for text in _verdicts(table, place, other) or ()
        ]
        bad[name] = tuple(_distinct(own or list(read_peoples_texts(sample)) or of_judges))
    return bad


def _verdicts(table: AnswerTable, name: str, metric: str) -> list[FailureText] | None:
    """The bad verdicts of one metric on an answer; None of a metric that gives none."""
    score = table.scores.get(name, {}).get(metric)
    if score is None or score.value is None or metric in ALL_BASELINES:
        return None
    return read_verdicts(metric, score, table.samples[name])


def _distinct(texts: Iterable[FailureText]) -> list[FailureText]:
    """The texts without repetitions: two metrics judge the same claims, two raters may write the same words."""
    return list({(text.kind, text.text.casefold()): text for text in reversed(list(texts))}.values())[::-1]
