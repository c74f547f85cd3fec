"""`assay judges align`: a judge learns from ratings; it is tried out of fold, and written where that helps."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pydantic import BaseModel

from ...errors import InputError, UsageError
from ...eval_sets import Sample
from ...eval_sets.items import RATER
from ...judges import Answers, Judge, JudgeLike, JudgeSettings, Question, Reply, Request
from ...judges.alignment import (
    Calibration,
    answer_share,
    calibrate,
    log_odds,
    question_kind,
    write_folder,
)
from ...judges.embedders import Embedder, open_embedder
from ...judges.judge import open_model
from ...judges.settings import CALIBRATED, AlignedJudgeRecord
from ...meta_eval.alignment import (
    AS_IT_IS,
    AlignmentResult,
    CandidateRow,
    compare_candidates,
    fit_calibration,
)
from ...meta_eval.arrays import Floats, Places
from ...meta_eval.groups import Predict
from ...meta_eval.question_only import add_question_only
from ...meta_eval.raters import Raters, agreement_of_raters
from ...meta_eval.table import ScoreTable
from ...metrics import Score
from ...metrics.catalogue import higher_is_better, load_metric
from ...metrics.metric import run_to_end
from ...text.wording import count_of
from ..score.run_writer import execute
from .experiment import baseline_values, build_value_table, correlate

_BASELINES = ("token_overlap", "rouge_l_precision")
_FEWEST_RATED = 20
_NOTHING = "asks no typed question with an order, so that there is nothing to align"
_TO_ALIGN = "faithfulness, weakest_claim or a rating"

T = TypeVar("T", bound=BaseModel)


_Remembered = dict[Any, Answers]


class LearningJudge:
    """A judge with a calibration. It remembers its answers, so that another calibration asks nothing.

    Attributes:
        observations: What each answer said as a number: sample, kind of question, and the number in [0, 1].
    """

    def __init__(self, judge: Judge, remembered: _Remembered, calibrations: Mapping[str, Calibration]) -> None:
        self._judge = judge
        self.name = judge.name
        self.logprobs = judge.logprobs
        self.observations: list[tuple[str, str, float]] = []
        self._remembered = remembered
        self._calibrations = calibrations

    async def ask(self, question: Question[T]) -> Reply[T]:
        """Refuses: such a question is not learned from."""
        name = question.prompt.name
        raise UsageError(
            f"the prompt {name} is no typed question, so that a judge cannot learn its answers; align {_TO_ALIGN}"
        )

    async def decide(self, request: Request) -> Answers:
        """The answers of the judge to the request, asked for once and calibrated."""
        key = (request.task, request.sample, tuple(request.state.items()), repr(request.questions), id(request.prompts))
        if key not in self._remembered:
            self._remembered[key] = await self._judge.decide(request)
        for answer in self._remembered[key].values():
            if (share := answer_share(answer)) is not None:
                self.observations.append((request.sample, question_kind(request.task, answer.question), share))
        return calibrate(self._calibrations, request, self._remembered[key])


@dataclass(frozen=True, slots=True)
class AlignmentReport:
    """What aligning a judge came to."""

    metric: str
    judge: str
    answers: int
    groups: int
    result: AlignmentResult
    baselines: tuple[CandidateRow, ...]  # what costs nothing reaches
    raters: Raters | None  # how far the raters agree; None with one rating per answer


@dataclass
class Aligner:
    """Tries a judge on rated samples, as it is and calibrated."""

    metric: str
    samples: Sequence[Sample]
    judge: JudgeLike
    embedder: Embedder | str = "use"
    seed: int = 0
    permutations: int = 2000
    on_sample: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._model = open_model(self.judge)
        self._embedder = open_embedder(self.embedder)
        self.samples = [sample for sample in self.samples if sample.human_rating is not None]
        if len(self.samples) < _FEWEST_RATED:
            rated = count_of(len(self.samples), "answer is", "answers are")
            raise UsageError(f"{rated} rated; a judge learns from {_FEWEST_RATED} or more (assay rate RUN)")
        if len({(sample.rating_min, sample.rating_max) for sample in self.samples}) > 1:
            raise UsageError("the answers are rated on different scales; align to one set at a time")
        self.table = _table(self.samples)
        if len(set(self.table.groups)) < 2:
            raise UsageError("all rated answers are of one group; a judge that learns needs two or more groups")
        self._place_of = {sample.id: place for place, sample in enumerate(self.samples)}

    def align(self) -> AlignmentReport:
        """Tries both and decides."""
        self._remembered: _Remembered = {}
        judge_as_it_is = self._learning({})
        as_it_is = self._measure(judge_as_it_is)
        self._observations = judge_as_it_is.observations
        if not self._observations:
            raise UsageError(f"{self.metric} {_NOTHING}; take {_TO_ALIGN}")
        predictors: dict[str, Predict] = {
            AS_IT_IS: lambda _, others: as_it_is[others],
            CALIBRATED: lambda training, others: self._measure(self._learning(self._calibrated(training)), others),
        }
        result = compare_candidates(self.table, predictors, permutations=self.permutations, seed=self.seed)
        self._final = self._calibrated(np.arange(len(self.samples))) if result.is_adopted else None
        return AlignmentReport(
            metric=self.metric,
            judge=self._model.name,
            answers=len(self.samples),
            groups=len(set(self.table.groups)),
            result=result,
            baselines=self._baselines(),
            raters=agreement_of_raters(self.table),
        )

    def write(self, folder: Path, report: AlignmentReport) -> None:
        """Writes the folder of the judge that won."""
        if self._final is None:
            raise UsageError(f"there is no judge to write: {report.result.reason}")
        result, gain = report.result, report.result.gain
        after = next(row.spearman for row in result.rows if row.name == result.chosen)
        record = AlignedJudgeRecord(
            metric=self.metric,
            candidate=result.chosen,
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
        write_folder(folder, content, record, self._final)

    def _measure(self, judge: Judge, places: Places | None = None) -> Floats:
        """The metric's values of some samples as shares of its range, more is better; NaN where there is none."""
        metric = load_metric(self.metric, judge, self._embedder)
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

        chosen = np.arange(len(self.samples)) if places is None else places
        samples = [self.samples[place] for place in chosen]
        run_to_end(execute(samples, [metric], keep, concurrency=self._model.settings.concurrent_samples))
        if 2 * len(reasons) > len(self.samples):
            rated = count_of(len(self.samples), "rated answer")
            raise InputError(
                f"{self.metric} has no score for {len(reasons)} of {rated}, so that nothing can be learned: "
                f"{reasons[0]}"
            )
        return values[chosen]

    def _learning(self, calibrations: Mapping[str, Calibration]) -> LearningJudge:
        return LearningJudge(self._model, self._remembered, calibrations)

    def _calibrated(self, learned: Places) -> dict[str, Calibration]:
        """The calibration by kind of question, fitted to the answers about some samples; each sample counts alike."""
        targets = {self.samples[place].id: self.samples[place].rating_share or 0.0 for place in learned}
        is_rising = higher_is_better(self.metric)
        maps: dict[str, Calibration] = {}
        for kind in sorted({kind for _, kind, _ in self._observations}):
            said = [(sample, share) for sample, of, share in self._observations if of == kind and sample in targets]
            counts = Counter(sample for sample, _ in said)
            calibration = fit_calibration(
                np.array([log_odds(share) for _, share in said]),
                np.array([targets[sample] if is_rising else 1 - targets[sample] for sample, _ in said]),
                np.array([1 / counts[sample] for sample, _ in said]),
            )
            if calibration is not None:
                maps[kind] = calibration
        return maps

    def _baselines(self) -> tuple[CandidateRow, ...]:
        values = baseline_values(self.samples)
        table = build_value_table(self.samples, {name: values[name] for name in _BASELINES if name in values})
        table = add_question_only(table, [sample.user_input for sample in self.samples], seed=self.seed)
        return tuple(CandidateRow(name, correlate(table.column(name), table), None, None) for name in table.metrics)


def _table(samples: Sequence[Sample]) -> ScoreTable:
    """The ratings on their own scale, by rater where no answer has a rating of its own."""
    raters = sorted({rater for sample in samples for rater in sample.ratings})
    is_by_rater = raters and all(sample.rating is None for sample in samples)
    ratings = {rater: [sample.ratings.get(rater) for sample in samples] for rater in raters}
    if not is_by_rater:
        ratings = {RATER: [sample.human_rating for sample in samples]}
    return build_value_table(samples, {}, ratings=ratings, scale=(samples[0].rating_min, samples[0].rating_max))
