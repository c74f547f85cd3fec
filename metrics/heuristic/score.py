"""The heuristic score (Lassche et al., 2024, V-C and Fig. 4): the features in equal weight, and what decides alone."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from ...eval_sets.sample import Sample
from ...installation import require_packages
from ...judges import JudgeLike
from ...languages import language_or_fallback
from ...prompts import BUNDLED, Prompts
from ...text.wording import count_of
from ...worker_threads import compute_beside
from ..metric import Metric
from ..score import Score, scored, skipped
from .company_terms import CompanyTerms
from .feature import (
    SECTIONS,
    Feature,
    SampleTexts,
    bound_evidence,
    open_translator,
    read,
    skip_without_pack,
)
from .hal import Hal
from .message_type import MOST_CHARACTERS, Rules, TypeMatch, classify
from .text_features import (
    ComplexAnswer,
    ComponentsDefined,
    PromptOverlap,
    SubjectCombination,
)
from .translation import Translation, translate_sample
from .verbatim_guide import THRESHOLD, VerbatimGuide

LOWEST, HIGHEST = 1.0, 5.0
SCORED_TYPES = ("binary", "instruction")

Override = Literal["unspecified_components", "verbatim_guide"]


class Rated(NamedTuple):
    """A score in [1, 5], the score of the plain sum alone, and the override that applied, if any."""

    value: float
    plain: float
    override: Override | None


def plain_score(features: Iterable[float | None]) -> float | None:
    """Computes 1 + 4 * the mean of the features, in [1, 5]: rescaled from their sum (Lassche et al., 2024, V-C).

    A feature that has no value (None) has no weight either; None when no feature has one.
    """
    values = [value for value in features if value is not None]
    return LOWEST + (HIGHEST - LOWEST) * sum(values) / len(values) if values else None


def rate(plain: float, *, unspecified: bool, verbatim: bool, overrides: bool = True) -> Rated:
    """Applies Fig. 4: 1 with a component that is specified nowhere, else 5 with a verbatim guide, else `plain`.

    When both are true, the unspecified component decides: the guide shows that a part of the answer is true, the
    component that a part is not, and an answer is untrue when any part of it is. The annotator's tree has the same
    order, and sending an untrue answer costs more than holding back a true one.
    """
    if overrides and unspecified:
        return Rated(LOWEST, plain, "unspecified_components")
    if overrides and verbatim:
        return Rated(HIGHEST, plain, "verbatim_guide")
    return Rated(plain, plain, None)


class Reading(NamedTuple):
    """What the features read of a sample: its texts, and the English ones, which are its own where none translates."""

    texts: SampleTexts
    english: SampleTexts
    translation: Translation | None

    def measure(self, features: Iterable[Feature]) -> dict[str, Score]:
        """Measures features, by short name (`hal`, ...); the starred ones on the English texts."""
        return {
            feature.short_name: feature.score_texts(self.english if feature.starred else self.texts)
            for feature in features
        }


class Heuristic(Metric):
    """Scores an answer's truthfulness from 1 to 5 by fixed rules: no judge, no key, the same every time."""

    name = "heuristic"
    range = (LOWEST, HIGHEST)
    needs: tuple[str, ...] = ("response", "retrieved_contexts")

    def __init__(
        self,
        *,
        all_types: bool = False,
        overrides: bool = True,
        rules: Rules = "positional",
        translate: Literal["judge"] | None = None,
        judge: JudgeLike | None = None,
        prompts: Prompts = BUNDLED,
        vocabulary: str | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        """Chooses what differs from the paper.

        Args:
            all_types: Score every message type, not only binary and instruction.
            overrides: Let an unspecified component or a verbatim guide decide alone; False gives the plain sum.
            rules: How the type is predicted; `paper` goes by the paper's ordered lists.
            translate: `judge`: the starred features read an English translation by the judge.
            judge: The judge of `translate=judge`.
            prompts: The prompts of `translate=judge`.
            vocabulary: A file of company terms.
            threshold: The least cosine of a verbatim step.

        Raises:
            ValueError: A threshold out of range.
            InputError: The vocabulary cannot be read.
            UsageError: There is no judge to translate.
        """
        require_packages("heuristic", "the metric heuristic")
        self._all_types = all_types
        self._overrides = overrides
        self._rules = rules
        self.judge = open_translator(translate, judge)
        self._prompts = prompts
        self.features: tuple[Feature, ...] = (
            CompanyTerms(vocabulary),
            ComponentsDefined(),
            ComplexAnswer(),
            PromptOverlap(),
            Hal(),
            SubjectCombination(),
            VerbatimGuide(threshold),
        )

    def classify_sample(self, sample: Sample) -> TypeMatch:
        """Finds the type of the sample's message, with the pattern that matched."""
        return classify(sample.user_input, language_or_fallback(sample.language), self._rules)

    async def measure(self, sample: Sample) -> Score:
        """Skipped for a message that is neither binary nor instruction.

        Raises `UsageError` when a named pipeline cannot be used, `JudgeError` when a translation cannot be had.
        """
        kind = (await compute_beside(self.classify_sample, sample)).type
        if unscored := self.skip_unscored(sample, kind):
            return unscored
        reading = await self.read(sample)
        features = await compute_beside(reading.measure, self.features)
        return self.rate(sample, kind, features, reading.translation)

    def skip_incomplete(self, sample: Sample) -> Score | None:
        """As of any metric; skipped too in a language without a pack with what the heuristics read."""
        return super().skip_incomplete(sample) or skip_without_pack(sample, *SECTIONS, "messages")

    def skip_unscored(self, sample: Sample, message_type: str) -> Score | None:
        """The skipped score of a sample whose message is of a type that is not scored; None for another."""
        if self._all_types or message_type in SCORED_TYPES:
            return None
        types = " and ".join(SCORED_TYPES)
        reason = f"the message type is {message_type}; only {types} are scored (all_types=True: all)"
        return skipped(reason, {"message_type": message_type} | _question_bound(sample))

    async def read(self, sample: Sample) -> Reading:
        """Reads, parses and translates a sample for the features. Raises as `measure`."""
        texts, translation = await read(sample), await translate_sample(sample, self.judge, self._prompts)
        english = await read(translation.sample) if translation else texts
        return Reading(texts, english, translation)

    def rate(
        self, sample: Sample, message_type: str, features: Mapping[str, Score], translation: Translation | None
    ) -> Score:
        """Combines a sample's measured features into its score. Skipped where none of them has a value."""
        score = self._combine(message_type, features)
        if translation is not None:
            score = translation.add_to(score)
        bounds = [*_question_bound(sample).get("bounds", []), *score.evidence.get("bounds", [])]
        return replace(score, evidence=score.evidence | {"bounds": bounds}) if bounds else score

    def _combine(self, message_type: str, features: Mapping[str, Score]) -> Score:
        values = {name: score.value for name, score in features.items()}
        unspecified: list[str] = features["components_defined"].evidence["unspecified"]
        guide: dict[str, Any] = features["verbatim_guide"].evidence
        evidence: dict[str, Any] = {
            "message_type": message_type,
            "features": values,
            "unspecified_components": unspecified,
            "verbatim_guide": bool(guide["verbatim"]),
        }
        plain = plain_score(values.values())
        if plain is None:
            return skipped("no feature has a value", evidence | {"override": None})
        rated = rate(
            plain, unspecified=bool(unspecified), verbatim=evidence["verbatim_guide"], overrides=self._overrides
        )
        evidence |= {"override": rated.override, "plain": rated.plain}
        if bounds := [bound for score in features.values() for bound in score.evidence.get("bounds", ())]:
            evidence["bounds"] = bounds
        if absent := {name: score.reason for name, score in features.items() if score.value is None}:
            evidence["without_value"] = absent
        return scored(rated.value, _reason(rated, unspecified, values), evidence)


def _question_bound(sample: Sample) -> dict[str, list[str]]:
    return bound_evidence("characters of the question are read for its type", len(sample.user_input), MOST_CHARACTERS)


def _reason(rated: Rated, unspecified: list[str], values: Mapping[str, float | None]) -> str:
    counted = [value for value in values.values() if value is not None]
    total = f"{sum(counted):.2f} of {count_of(len(counted), 'feature')} is {rated.plain:.2f}"
    if len(counted) < len(values):
        total += f" ({', '.join(name for name, value in values.items() if value is None)} without value)"
    if rated.override == "unspecified_components":
        return f"1: neither context nor question has {', '.join(unspecified)}; the plain sum, {total}"
    if rated.override == "verbatim_guide":
        return f"5: the answer gives a guide of the context step by step; the plain sum, {total}"
    return f"the plain sum, {total}"


class Explanation(NamedTuple):
    """A sample's message type, its score, and the features in its sum."""

    sample: Sample
    type: TypeMatch
    score: Score
    features: dict[str, Score]

    def as_json(self) -> dict[str, Any]:
        """Returns all of it as JSON values."""
        return {
            "sample": self.sample.id,
            "message_type": {"type": self.type.type, "pattern": self.type.pattern, "matched": self.type.matched}
            | {"reason": self.type.reason},
            "score": _score_as_json(self.score),
            "features": {name: _score_as_json(score) for name, score in self.features.items()},
        }


async def explain(sample: Sample, metric: Heuristic) -> Explanation:
    """Explains a sample's score by a metric; the features are measured also where its type is not scored.

    Raises `UsageError` when a named pipeline cannot be used, `JudgeError` when a translation cannot be had.
    """
    kind = await compute_beside(metric.classify_sample, sample)
    reading = await metric.read(sample)
    features = await compute_beside(reading.measure, metric.features)
    score = metric.skip_incomplete(sample) or metric.skip_unscored(sample, kind.type)
    score = score or metric.rate(sample, kind.type, features, reading.translation)
    return Explanation(sample, kind, score, features)


def _score_as_json(score: Score) -> dict[str, Any]:
    return {"value": score.value, "status": score.status, "reason": score.reason, "evidence": score.evidence}
