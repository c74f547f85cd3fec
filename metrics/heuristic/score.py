"""The heuristic score (001, section V-C and Fig. 4): the features in equal weight, and two things that decide alone."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

from ...eval_sets.sample import Sample
from ..metric import Metric, Score, scored, skipped
from .company_terms import CompanyTerms
from .complex_answer import ComplexAnswer
from .components_defined import ComponentsDefined
from .hal import Hal
from .message_type import MessageType, TypeMatch, classify
from .prompt_overlap import PromptOverlap
from .reading import Feature, Reading, named_pipelines, read
from .subject_combination import SubjectCombination
from .verbatim_guide import THRESHOLD, VerbatimGuide

LOWEST, HIGHEST = 1.0, 5.0
SCORED_TYPES = ("binary", "instruction")

Override = Literal["unspecified_components", "verbatim_guide"]


class Rated(NamedTuple):
    """A score in [1, 5], what the plain sum alone gives, and which override fired, if one did."""

    value: float
    plain: float
    override: Override | None


def plain_score(features: Iterable[float | None]) -> float | None:
    """1 + 4 * the mean of the features, in [1, 5]: their sum in equal weight, rescaled (001, section V-C).

    A feature that has no value (None) has no weight either; None when no feature has one.
    """
    values = [value for value in features if value is not None]
    return LOWEST + (HIGHEST - LOWEST) * sum(values) / len(values) if values else None


def rate(plain: float, *, unspecified: bool, verbatim: bool, overrides: bool = True) -> Rated:
    """The score of Fig. 4: 1 with a component that is specified nowhere, else 5 with a verbatim guide, else `plain`.

    When both are true, the unspecified component wins: the guide shows that some of the answer is true, the component
    that some is not, and an answer is untrue when any of it is. That is also the order of the annotator's tree, which
    asks for components before it asks for a guide; and to send out an untrue answer costs more than to hold a true one.
    """
    if overrides and unspecified:
        return Rated(LOWEST, plain, "unspecified_components")
    if overrides and verbatim:
        return Rated(HIGHEST, plain, "verbatim_guide")
    return Rated(plain, plain, None)


class Heuristic(Metric):
    """The deterministic score of an answer's truthfulness, 1 to 5: no judge, no key, the same every time."""

    name = "heuristic"
    range = (LOWEST, HIGHEST)
    needs: tuple[str, ...] = ("response", "retrieved_contexts")

    def __init__(
        self,
        *,
        all_types: str | bool = False,
        overrides: str | bool = True,
        types: str = "predicted",
        vocabulary: str | None = None,
        threshold: str | float = THRESHOLD,
        nlp_nl: str | None = None,
        nlp_en: str | None = None,
    ) -> None:
        """What may differ from the paper.

        `all_types` scores every message type and not only binary and instruction; `overrides` off gives the plain sum;
        `types=labelled` takes a sample's own `message_type` where it has one, and not the one predicted from its words;
        `vocabulary` is a file of company terms; `threshold` the least cosine of a verbatim step; `nlp_nl` and `nlp_en`
        name spaCy pipelines. Raises `ValueError` for another value, `InputError` for an unreadable vocabulary.
        """
        self._all_types = _switch("all_types", all_types)
        self._overrides = _switch("overrides", overrides)
        if types not in {"predicted", "labelled"}:
            raise ValueError(f"types is 'predicted' or 'labelled', not {types!r}")
        self._labelled = types == "labelled"
        self.texts = named_pipelines(nlp_nl, nlp_en)
        self.features: tuple[Feature, ...] = (
            CompanyTerms(vocabulary),
            ComponentsDefined(),
            ComplexAnswer(),
            PromptOverlap(),
            Hal(),
            SubjectCombination(nlp_nl, nlp_en),
            VerbatimGuide(threshold),
        )

    def type_of(self, sample: Sample) -> TypeMatch:
        """The type of the sample's message, with the pattern that matched."""
        match = classify(sample.user_input, sample.language or "en")
        if self._labelled and sample.message_type:
            label = f"the sample says so; its words say {match.type}: {match.reason}"
            return replace(match, type=cast(MessageType, sample.message_type), reason=label)
        return match

    async def measure(self, sample: Sample) -> Score:
        """Skipped, with the type as the reason, for a message that is neither binary nor instruction.

        Raises `UsageError` when a named pipeline cannot be used.
        """
        kind = self.type_of(sample).type
        if not self._all_types and kind not in SCORED_TYPES:
            reason = f"the message type is {kind}; only {' and '.join(SCORED_TYPES)} are scored (all_types=True: all)"
            return skipped(reason, {"message_type": kind})
        return self.rate(kind, self.measured(await read(sample, self.texts)))

    def measured(self, reading: Reading) -> dict[str, Score]:
        """The seven features by their short names (`hal`, ...); a missing question leaves its feature out."""
        return {feature.short_name: feature.of(reading) for feature in self.features}

    def rate(self, message_type: str, features: Mapping[str, Score]) -> Score:
        """The score of features that were measured. Failed where none of them has a value."""
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
        if absent := {name: score.reason for name, score in features.items() if score.value is None}:
            evidence["without_value"] = absent
        return scored(rated.value, _reason(rated, unspecified, values), evidence)


def _reason(rated: Rated, unspecified: list[str], values: Mapping[str, float | None]) -> str:
    counted = [value for value in values.values() if value is not None]
    total = f"{sum(counted):.2f} of {len(counted)} features is {rated.plain:.2f}"
    if len(counted) < len(values):
        total += f" ({', '.join(name for name, value in values.items() if value is None)} without value)"
    if rated.override == "unspecified_components":
        return f"1: neither context nor question has {', '.join(unspecified)}; the plain sum, {total}"
    if rated.override == "verbatim_guide":
        return f"5: the answer gives a guide of the context step by step; the plain sum, {total}"
    return f"the plain sum, {total}"


def _switch(name: str, value: str | bool) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(value).lower() not in known:
        raise ValueError(f"{name} is True or False, not {value!r}")
    return known[str(value).lower()]
