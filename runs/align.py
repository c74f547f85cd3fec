"""`assay align`: a judge learns from ratings; candidates are tried out of fold, and the one that wins is written."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import InputError, UsageError
from ..eval_sets import Sample
from ..judges import Judge, JudgeLike, JudgeSettings, PlainText, Question, Usage
from ..judges.alignment import Alignment, RatedExample, write_folder
from ..judges.embedders import Embedder, open_embedder
from ..judges.judge_folder import AlignedJudgeRecord
from ..judges.judge_opening import open_model
from ..judges.request_size import estimate_tokens
from ..languages import FALLBACK
from ..meta_eval.agreement_statistics import mean_spearman
from ..meta_eval.alignment import AS_IT_IS, AlignmentResult, Predict, compare_candidates, split_groups
from ..meta_eval.arrays import Floats, Places
from ..meta_eval.estimate import Estimate, estimate
from ..meta_eval.probability_maps import CalibrationKind, fit_map
from ..meta_eval.question_only import add_question_only
from ..meta_eval.rater_groups import RaterGroups, find_rater_groups
from ..meta_eval.raters import agreement_of_raters
from ..meta_eval.results import Raters
from ..meta_eval.table import QUESTION_ONLY, ScoreTable
from ..metrics import Metric, Score
from ..metrics.catalogue import load_metric
from ..metrics.metric import run_to_end
from ..prompts import BUNDLED, Prompt, Prompts
from ..text.wording import count_of
from .alignment_judges import AlignedJudge, CountingJudge, ObservingJudge, RememberingJudge
from .execute import execute
from .rating_direction import check_ratings_fit, is_pairwise

CANDIDATES = ("isotonic", "beta", "few-shot", "rules")
_CALIBRATIONS: tuple[CalibrationKind, ...] = ("isotonic", "beta")
_BASELINES = ("token_overlap", "rouge_l_precision")
_FEWEST_RATED = 20
_MOST_IN_RULES = 12  # rated answers from which rules are distilled: the worst and the best
_TOKENS_OF_RULES = 200

LoadMetric = Callable[[Judge], Metric]
"""Makes the metric with a judge behind it."""


@dataclass(frozen=True, slots=True)
class AlignmentCost:
    """What trying all candidates takes at most, before recorded replies are taken off.

    Attributes:
        requests: Calls of the judge.
        tokens: Estimated tokens of their prompts.
    """

    requests: int
    tokens: int


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A baseline's agreement with the ratings."""

    name: str
    spearman: Estimate


@dataclass(frozen=True, slots=True)
class AlignmentReport:
    """What aligning a judge came to.

    Attributes:
        metric: The metric.
        judge: The judge's name.
        answers: Rated answers.
        groups: Groups that they form.
        result: The candidates out of fold, and the decision.
        baselines: What costs nothing reaches.
        raters: How far the raters agree; None with one rating per answer.
        rater_groups: Two groups of raters who follow different rules; None where there are none.
        usage: What the candidates took, by name.
    """

    metric: str
    judge: str
    answers: int
    groups: int
    result: AlignmentResult
    baselines: tuple[BaselineRow, ...]
    raters: Raters | None
    rater_groups: RaterGroups | None
    usage: dict[str, Usage]


@dataclass
class Aligner:
    """Tries candidates of a judge on rated samples.

    Raises:
        UsageError: The judge cannot judge or has no settings, fewer than 20 samples are rated, or they form one group.
    """

    metric: str
    samples: Sequence[Sample]
    judge: JudgeLike
    embedder: Embedder | str = "use"
    load: LoadMetric | None = None
    candidates: Sequence[str] = CANDIDATES
    variants: Mapping[str, Path] = field(default_factory=dict)
    shown: int = 3
    optimizer: Literal["gepa"] | None = None
    most_scores: int = 200
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
        self._prompts = {name: Prompts.from_folder(folder) for name, folder in self.variants.items()}

    def estimate_cost(self) -> AlignmentCost:
        """What trying the candidates takes at most. Nothing is asked.

        Raises:
            UsageError: The metric asks no typed question.
        """
        counting = CountingJudge(self._model)
        run_to_end(self._measure(counting, range(len(self.samples))))
        if not counting.questions:
            raise UsageError(
                f"{self.metric} asks no typed question with an order, so that there is nothing to align; take "
                "faithfulness, weakest_claim or a rating"
            )
        extra = {"few-shot": self.shown * self._mean_example_tokens(), "rules": _TOKENS_OF_RULES}
        passes = [0, *(extra[name] for name in self.candidates if name in extra), *(0 for _ in self.variants)]
        requests = counting.questions * len(passes) + 2 * ("rules" in self.candidates)
        tokens = counting.tokens * len(passes) + counting.questions * sum(passes)
        if self.optimizer is not None:  # a pass, and the scores of the search in both halves
            share = 1 + 2 * self.most_scores / len(self.samples)
            requests += round(share * counting.questions) + self.most_scores
            tokens += round(share * (counting.tokens + counting.questions * _TOKENS_OF_RULES))
        return AlignmentCost(requests, tokens)

    def _mean_example_tokens(self) -> int:
        texts = [_example(sample).text for sample in self.samples]
        return estimate_tokens(texts) // len(texts)

    def align(self) -> AlignmentReport:
        """Tries every candidate and decides.

        Raises:
            UsageError: The metric asks no typed question.
            BudgetReached: A bound of the judge's budget; what was asked is in the cassette.
            InputError: More than half of the answers have no score.
        """
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
        """Writes the folder of the judge that won.

        Raises:
            UsageError: Nothing won.
            InputError: The folder cannot be written.
        """
        if self._final is None:
            raise UsageError(f"there is no judge to write: {report.result.reason}")
        alignment, prompt_files = self._final
        result = report.result
        record = AlignedJudgeRecord(
            metric=self.metric,
            candidate=result.chosen,
            embedder=self._embedder.name if alignment.examples else None,
            shown=self.shown,
            rules=alignment.rules,
            spearman={
                "before": result.rows[0].spearman.value,
                "after": result.nested.value,
                "low": result.nested.low,
                "high": result.nested.high,
                "gain": result.gain.value,
                "gain_low": result.gain.low,
                "gain_high": result.gain.high,
            },
            answers=report.answers,
        )
        settings: JudgeSettings = self._model.settings.recordable
        content = settings.model_dump(mode="json", exclude_defaults=True, exclude={"aligned"})
        write_folder(folder, content, record, alignment, prompt_files)

    def _predictors(self) -> dict[str, Predict]:
        """A predictor per candidate: those that ask the judge have asked it, the others are fitted by fold."""
        self._usage: dict[str, Usage] = {}
        observing = ObservingJudge(self._remembering)
        as_it_is = self._run(AS_IT_IS, observing)
        self._observations = observing.observations
        if not self._observations:
            raise UsageError(f"{self.metric} asks no typed question with an order, so that there is nothing to align")
        values: dict[str, Predict] = {AS_IT_IS: _fixed(as_it_is)}
        for kind in _CALIBRATIONS:
            if kind in self.candidates:
                values[kind] = self._calibrated(kind)
        if "few-shot" in self.candidates:
            examples = [
                tuple(_example(sample) for sample in self.samples if self._half_of[sample.id] != half)
                for half in (0, 1)
            ]
            alignments = [
                Alignment(examples=half_examples, shown=self.shown, embedder=self._embedder)
                for half_examples in examples
            ]
            values["few-shot"] = _fixed(self._run("few-shot", self._by_half(alignments)))
        if "rules" in self.candidates:
            rules = [
                run_to_end(self._distil([one for one in self.samples if self._half_of[one.id] != half]))
                for half in (0, 1)
            ]
            values["rules"] = _fixed(
                self._run("rules", self._by_half([Alignment(rules=half_rules) for half_rules in rules]))
            )
        if self.optimizer is not None:
            evolved = [
                self._evolve([sample for sample in self.samples if self._half_of[sample.id] != half]) for half in (0, 1)
            ]
            values[self.optimizer] = _fixed(
                self._run(self.optimizer, self._by_half([Alignment(rules=half_rules) for half_rules in evolved]))
            )
        for name, prompts in self._prompts.items():
            values[f"prompts {name}"] = _fixed(
                self._run(f"prompts {name}", self._by_half([Alignment(prompts=prompts)] * 2))
            )
        return values

    def _make_alignment(self, chosen: str) -> tuple[Alignment, Sequence[Path]]:
        """The candidate that won, learned from all rated answers, and the prompt files that belong to it."""
        for kind in _CALIBRATIONS:
            if chosen == kind:
                return Alignment(calibration=self._maps(kind, np.arange(len(self.samples)))), ()
        if chosen == "few-shot":
            examples = tuple(map(_example, self.samples))
            return Alignment(examples=examples, shown=self.shown, embedder=self._embedder), ()
        if chosen == "rules":
            return Alignment(rules=run_to_end(self._distil(self.samples))), ()
        if chosen == self.optimizer:
            return Alignment(rules=self._evolve(self.samples)), ()
        folder = self.variants[chosen.removeprefix("prompts ")]
        return Alignment(prompts=Prompts.from_folder(folder)), sorted(folder.glob("*.md"))

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

    def _calibrated(self, kind: CalibrationKind) -> Predict:
        def predict(training: Places, others: Places) -> Floats:
            alignment = Alignment(calibration=self._maps(kind, training))
            judge = AlignedJudge(self._remembering, {sample.id: alignment for sample in self.samples})
            return run_to_end(self._measure(judge, others))

        return predict

    def _maps(self, kind: CalibrationKind, training: Places) -> dict[str, tuple[tuple[float, float], ...]]:
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
            if not seen:
                continue
            counts = Counter(place for place, _ in seen)
            targets = np.array([1 - shares[place] if lower else shares[place] for place, _ in seen])
            weights = np.array([1 / counts[place] for place, _ in seen])
            maps[question] = fit_map(kind, np.array([share for _, share in seen]), targets, weights)
        return maps

    def _located(self) -> list[tuple[int, str, float]]:
        return [(self._place_of[sample], name, share) for sample, name, share in self._observations]

    async def _distil(self, samples: Sequence[Sample]) -> str:
        """The rules that the judge reads from the worst and the best rated answers."""
        ordered = sorted(samples, key=lambda sample: (_rating(sample), sample.id))
        half = _MOST_IN_RULES // 2
        shown = ordered if len(ordered) <= _MOST_IN_RULES else [*ordered[:half], *ordered[-half:]]
        (language, _), *_ = Counter(sample.language for sample in samples).most_common()
        prompt = BUNDLED.load("rules", language)
        examples = "\n\n".join(_example(sample).text for sample in shown)
        user = prompt.render({"examples": examples, "scale": f"{self.table.rating_max:g}"})
        reply = await self._model.ask(
            Question(prompt, user, PlainText, "the team's rules", max_tokens=_TOKENS_OF_RULES)
        )
        return reply.value.text.strip()

    def _evolve(self, samples: Sequence[Sample]) -> str:
        """The distilled rules as GEPA makes them better on these samples."""
        from .gepa_rules import optimise_rules

        def measure(rules: str, batch: Sequence[Sample]) -> list[float | None]:
            judge = AlignedJudge(self._remembering, {sample.id: Alignment(rules=rules) for sample in batch})
            values = run_to_end(self._measure(judge, [self._place_of[sample.id] for sample in batch]))
            return [None if np.isnan(value) else float(value) for value in values]

        def ask(text: str) -> str:
            prompt = Prompt("gepa", FALLBACK, (), text)
            question = Question(prompt, text, PlainText, "GEPA's reflection")
            return run_to_end(self._model.ask(question)).value.text

        start = run_to_end(self._distil(samples))
        return optimise_rules(
            start,
            samples,
            measure,
            lambda sample: _example(sample).text,
            ask,
            most_scores=self.most_scores,
            seed=self.seed,
        )

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
                statistic = mean_spearman(values[scored][:, None], self.table.mean_rating[scored])
                rows.append(BaselineRow(name, estimate(statistic, groups, scale="fisher")))
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
