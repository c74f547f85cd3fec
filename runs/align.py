"""`assay judges align`: a judge learns from ratings; candidates are tried out of fold, the winner is written."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..judges import Judge, JudgeLike, JudgeSettings, Usage
from ..judges.alignment import Alignment, Calibration, RatedExample, log_odds, write_folder
from ..judges.embedders import Embedder, open_embedder
from ..judges.judge import open_model
from ..judges.request_size import estimate_tokens
from ..judges.settings import CALIBRATED, CANDIDATES, FEW_SHOT, AlignedJudgeRecord
from ..meta_eval.alignment import AS_IT_IS, AlignmentResult, compare_candidates, fit_calibration, split_groups
from ..meta_eval.arrays import Floats, Places
from ..meta_eval.correlation import spearman
from ..meta_eval.estimate import Estimate
from ..meta_eval.groups import Predict
from ..meta_eval.question_only import add_question_only
from ..meta_eval.rater_groups import RaterGroups, find_rater_groups
from ..meta_eval.raters import Raters, agreement_of_raters
from ..meta_eval.table import QUESTION_ONLY, ScoreTable
from ..metrics import Metric, Score
from ..metrics.catalogue import load_metric
from ..metrics.metric import run_to_end
from ..text.wording import count_of
from .alignment_judges import AlignedJudge, CountingJudge, ObservingJudge, RememberingJudge
from .execute import execute
from .rating_direction import check_ratings_fit, is_pairwise

_BASELINES = ("token_overlap", "rouge_l_precision")
_FEWEST_RATED = 20

LoadMetric = Callable[[Judge], Metric]
"""Makes the metric with a judge behind it."""


@dataclass(frozen=True, slots=True)
class AlignmentCost:
    """What trying all candidates takes at most, before recorded replies are taken off."""

    requests: int
    tokens: int


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A baseline's agreement with the ratings."""

    name: str
    spearman: Estimate


@dataclass(frozen=True, slots=True)
class AlignmentReport:
    """What aligning a judge came to."""

    metric: str
    judge: str
    answers: int
    groups: int
    result: AlignmentResult
    baselines: tuple[BaselineRow, ...]  # what costs nothing reaches
    raters: Raters | None  # how far the raters agree; None with one rating per answer
    rater_groups: RaterGroups | None  # two groups of raters who follow different rules; None where there are none
    usage: dict[str, Usage]  # what the candidates took, by name


@dataclass
class Aligner:
    """Tries candidates of a judge on rated samples."""

    metric: str
    samples: Sequence[Sample]
    judge: JudgeLike
    embedder: Embedder | str = "use"
    load: LoadMetric | None = None
    candidates: Sequence[str] = CANDIDATES
    shown: int = 3
    seed: int = 0
    permutations: int = 2000
    on_sample: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._model = open_model(self.judge)
        self._embedder = open_embedder(self.embedder)
        self.samples = [sample for sample in self.samples if sample.human_rating is not None]
        if len(self.samples) < _FEWEST_RATED:
            raise UsageError(
                f"{count_of(len(self.samples), 'answer is', 'answers are')} rated; a judge learns from "
                f"{_FEWEST_RATED} or more (assay rate RUN)"
            )
        if is_pairwise(self.metric):
            raise UsageError(f"{self.metric} compares two answers; a judge learns ratings of one, such as faithfulness")
        check_ratings_fit("the answers", self.samples, self.metric)
        if len({(sample.rating_min, sample.rating_max) for sample in self.samples}) > 1:
            raise UsageError("the answers are rated on different scales; align to one set at a time")
        self.table = _table(self.samples)
        self._halves = split_groups(self.table.group_numbers, seed=self.seed)
        if not self._halves.any():
            raise UsageError("all rated answers are of one group; a judge that learns needs two or more groups")
        self._half_of = {sample.id: int(half) for sample, half in zip(self.samples, self._halves, strict=True)}
        self._place_of = {sample.id: place for place, sample in enumerate(self.samples)}

    def estimate_cost(self) -> AlignmentCost:
        """What trying the candidates takes at most. Nothing is asked."""
        counting = CountingJudge(self._model)
        run_to_end(self._measure(counting, range(len(self.samples))))
        if not counting.questions:
            raise UsageError(
                f"{self.metric} asks no typed question with an order, so that there is nothing to align; take "
                "faithfulness, weakest_claim or a rating"
            )
        requests, tokens = counting.questions, counting.tokens
        if FEW_SHOT in self.candidates:
            requests, tokens = 2 * requests, 2 * tokens + requests * self.shown * self._mean_example_tokens()
        return AlignmentCost(requests, tokens)

    def _mean_example_tokens(self) -> int:
        texts = [_example(sample).text for sample in self.samples]
        return estimate_tokens(texts) // len(texts)

    def align(self) -> AlignmentReport:
        """Tries every candidate and decides."""
        self._remembering = RememberingJudge(self._model)
        predictors = self._predictors()
        result = compare_candidates(
            self.table,
            predictors,
            self._halves,
            permutations=self.permutations,
            seed=self.seed,
        )
        raters = agreement_of_raters(self.table)
        report = AlignmentReport(
            metric=self.metric,
            judge=self._model.name,
            answers=len(self.samples),
            groups=len(set(self.table.groups)),
            result=result,
            baselines=self._baselines(),
            raters=raters,
            rater_groups=find_rater_groups(self.table, seed=self.seed),
            usage=self._usage,
        )
        self._final = self._make_alignment(result.chosen) if result.is_adopted else None
        return report

    def write(self, folder: Path, report: AlignmentReport) -> None:
        """Writes the folder of the judge that won."""
        if self._final is None:
            raise UsageError(f"there is no judge to write: {report.result.reason}")
        alignment, result, gain = self._final, report.result, report.result.gain
        after = next(row.spearman for row in result.rows if row.name == result.chosen)
        record = AlignedJudgeRecord(
            metric=self.metric,
            candidate=result.chosen,
            embedder=self._embedder.name if alignment.examples else None,
            shown=self.shown,
            spearman={
                "before": result.rows[0].spearman.value,
                "after": after.value,
                "low": after.low,
                "high": after.high,
                "gain": gain.value if gain else None,
                "gain_low": gain.low if gain else None,
                "gain_high": gain.high if gain else None,
            },
            answers=report.answers,
        )
        settings: JudgeSettings = self._model.settings.recordable
        content = settings.model_dump(mode="json", exclude_defaults=True, exclude={"aligned"})
        write_folder(folder, content, record, alignment)

    def _predictors(self) -> dict[str, Predict]:
        """A predictor per candidate: those that ask the judge have asked it, the others are fitted by fold."""
        self._usage: dict[str, Usage] = {}
        observing = ObservingJudge(self._remembering)
        as_it_is = self._run(AS_IT_IS, observing)
        self._observations = observing.observations
        if not self._observations:
            raise UsageError(f"{self.metric} asks no typed question with an order, so that there is nothing to align")
        values: dict[str, Predict] = {AS_IT_IS: _fixed(as_it_is)}
        if CALIBRATED in self.candidates:
            values[CALIBRATED] = self._calibrated
        if FEW_SHOT in self.candidates:
            examples = [
                tuple(_example(sample) for sample in self.samples if self._half_of[sample.id] != half)
                for half in (0, 1)
            ]
            alignments = [
                Alignment(examples=half_examples, shown=self.shown, embedder=self._embedder)
                for half_examples in examples
            ]
            values[FEW_SHOT] = _fixed(self._run(FEW_SHOT, self._by_half(alignments)))
        return values

    def _make_alignment(self, chosen: str) -> Alignment:
        """The candidate that won, learned from all rated answers."""
        if chosen == CALIBRATED:
            return Alignment(calibration=self._calibration(np.arange(len(self.samples))))
        return Alignment(examples=tuple(map(_example, self.samples)), shown=self.shown, embedder=self._embedder)

    def _by_half(self, alignments: Sequence[Alignment]) -> "AlignedJudge":
        return AlignedJudge(self._remembering, {name: alignments[half] for name, half in self._half_of.items()})

    def _run(self, name: str, judge: Judge) -> Floats:
        before = self._model.usage
        values = run_to_end(self._measure(judge, range(len(self.samples))))
        self._usage[name] = _less(self._model.usage, before)
        return values

    async def _measure(self, judge: Judge, places: Sequence[int] | Places) -> Floats:
        """The metric's values of some samples as shares of its range, more is better; NaN where there is none."""
        metric = self.load(judge) if self.load else load_metric(self.metric, judge, self._embedder)
        low, high = metric.range
        if low is None or high is None:
            raise UsageError(f"{self.metric} has no bounded range, so that it cannot be held against ratings")
        values, reasons = np.full(len(self.samples), np.nan), []

        def keep(sample: Sample, scores: dict[str, Score]) -> None:
            for score in scores.values():  # none where a budget ends it
                if score.value is None:
                    reasons.append(score.reason)
                else:
                    share = (score.value - low) / (high - low)
                    values[self._place_of[sample.id]] = share if metric.higher_is_better else 1 - share
                self.on_sample()

        chosen = [self.samples[int(place)] for place in places]
        await execute(chosen, [metric], keep, concurrency=self._model.settings.concurrent_samples)
        if 2 * len(reasons) > len(self.samples):
            raise InputError(
                f"{self.metric} has no score for {len(reasons)} of {count_of(len(self.samples), 'rated answer')}, so "
                "that nothing "
                f"can be learned: {reasons[0]}"
            )
        return values[list(places)]

    def _calibrated(self, training: Places, others: Places) -> Floats:
        alignment = Alignment(calibration=self._calibration(training))
        judge = AlignedJudge(self._remembering, {sample.id: alignment for sample in self.samples})
        return run_to_end(self._measure(judge, others))

    def _calibration(self, training: Places) -> dict[str, Calibration]:
        """The calibration by kind of question, fitted to the answers about some samples; each sample counts alike."""
        wanted = set(training.tolist())
        ratings = self.table.mean_rating
        shares = (ratings - self.table.rating_min) / (self.table.rating_max - self.table.rating_min)
        lower = not (
            self.load(self._remembering) if self.load else load_metric(self.metric, self._remembering)
        ).higher_is_better
        maps = {}
        for question in sorted({name for _, name, _ in self._observations}):
            seen = [(place, share) for place, name, share in self._located() if name == question and place in wanted]
            counts = Counter(place for place, _ in seen)
            odds = np.array([log_odds(share) for _, share in seen])
            targets = np.array([1 - shares[place] if lower else shares[place] for place, _ in seen])
            weights = np.array([1 / counts[place] for place, _ in seen])
            if (calibration := fit_calibration(odds, targets, weights)) is not None:
                maps[question] = calibration
        return maps

    def _located(self) -> list[tuple[int, str, float]]:
        return [(self._place_of[sample], name, share) for sample, name, share in self._observations]

    def _baselines(self) -> tuple[BaselineRow, ...]:
        rows = []
        table = add_question_only(self.table, [sample.user_input for sample in self.samples], seed=self.seed)
        columns = {name: run_to_end(self._baseline(name)) for name in _BASELINES}
        if QUESTION_ONLY in table.metrics:
            columns[QUESTION_ONLY] = table.column(QUESTION_ONLY)
        for name, values in columns.items():
            scored = np.flatnonzero(~np.isnan(values))
            if len(scored) > 4 and np.ptp(values[scored]) > 0:
                groups = [self.table.groups[place] for place in scored]
                rho = spearman(values[scored].tolist(), self.table.mean_rating[scored].tolist(), groups)
                rows.append(BaselineRow(name, rho))
        return tuple(rows)

    async def _baseline(self, name: str) -> Floats:
        metric = load_metric(name)
        scores = [await metric.assess(sample) for sample in self.samples]
        return np.array([np.nan if score.value is None else score.value for score in scores])


def _fixed(values: Floats) -> Predict:
    """The predictor of a candidate that learned nothing from the items of its own half."""
    return lambda _, others: values[others]


def _table(samples: Sequence[Sample]) -> ScoreTable:
    raters = sorted({rater for sample in samples for rater in sample.ratings})
    if raters and all(sample.rating is None for sample in samples):
        ratings = np.array([[sample.ratings.get(rater, np.nan) for rater in raters] for sample in samples])
    else:
        raters = ["rating"]
        ratings = np.array([[_rating(sample)] for sample in samples])
    return ScoreTable(
        items=tuple(sample.id for sample in samples),
        metrics=(),
        scores=np.zeros((len(samples), 0)),
        ratings=ratings,
        raters=tuple(raters),
        rating_min=samples[0].rating_min,
        rating_max=samples[0].rating_max,
        groups=tuple(sample.source for sample in samples),
    )


def _rating(sample: Sample) -> float:
    return float("nan") if sample.human_rating is None else sample.human_rating


def _example(sample: Sample) -> RatedExample:
    reasons = sample.metadata.get("rating_reasons")
    return RatedExample(
        id=sample.id,
        question=sample.user_input,
        answer=sample.response,
        rating=round(_rating(sample), 2),
        scale=sample.rating_max,
        reasons=tuple(map(str, reasons.values())) if isinstance(reasons, dict) else (),
    )


def _less(after: Usage, before: Usage) -> Usage:
    return Usage(
        calls=after.calls - before.calls,
        from_cassette=after.from_cassette - before.from_cassette,
        tokens_in=after.tokens_in - before.tokens_in,
        tokens_out=after.tokens_out - before.tokens_out,
        tokens_cached=after.tokens_cached - before.tokens_cached,
        usd=None if after.usd is None or before.usd is None else after.usd - before.usd,
        seconds=after.seconds - before.seconds,
        unstated=after.unstated - before.unstated,
    )
