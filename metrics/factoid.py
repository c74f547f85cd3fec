"""Factoid: whether the answer states the facts of the reference (González Torres et al., 2024, 4.5)."""

from typing import TYPE_CHECKING, Any, cast

from ..eval_sets.sample import Sample
from ..languages import FALLBACK, Language, find_language, language_or_fallback
from ..text.entities import Entity, find_entities, find_unstated
from ..text.wording import count_of
from .metric import ComputedMetric
from .score import Score, scored, skipped

if TYPE_CHECKING:
    from ..languages.sections import EntityKind


MOST_FACTS = 100
"""Each fact of the reference is compared with each of the answer, so that only so many are."""


class Factoid(ComputedMetric):
    """1 when the answer states every fact of the reference, else 0.

    The fact is the one that the set names (`metadata.fact`, `{"kind", "text"}`, as `sets generate` writes it), else
    the telephone numbers, e-mail addresses, dates, hours, amounts and addresses in the reference. Two ways of writing
    one pass: 053-487 66 78 and +31 53 487 6678, 3 maart and 03-03-2026. Range: 0 or 1. A reference without such a fact
    is skipped. Source: González Torres et al., 2024, 4.5.

    Example:
        >>> Factoid().score(response="Bel +31 53 487 6678.", reference="Bel 053-487 66 78.", language="nl").value
        1.0
    """

    name = "factoid"
    needs = ("response", "reference")

    def compute(self, sample: Sample) -> Score:
        """Skipped when the reference has no such fact, or facts are not known in the sample's language."""
        language = language_or_fallback(sample.language)
        if find_language(sample.language or FALLBACK) is None or not language.has("entities"):
            return skipped(f"there are no patterns of dates, hours and amounts for the language {sample.language}")
        all_facts = _facts(sample, language)
        facts = all_facts[:MOST_FACTS]
        if not facts:
            return skipped("the reference has no telephone number, e-mail address, date, hours, amount or address")
        in_answer = find_entities(sample.response, language)
        missing = find_unstated(facts, sample.response, in_answer)
        evidence: dict[str, Any] = {
            "facts": [{"kind": fact.kind, "text": fact.text, "stated": fact not in missing} for fact in facts],
            "in_answer": [{"kind": e.kind, "text": e.text} for e in in_answer],
        }
        if len(all_facts) > MOST_FACTS:
            evidence["bounds"] = [
                f"only the first {MOST_FACTS:,} of the reference's {count_of(len(all_facts), 'fact')} are compared"
            ]
        if missing:
            listed = ", ".join(f"{fact.kind} {fact.text}" for fact in missing)
            return scored(0.0, f"the answer does not state the {listed}", evidence)
        return scored(1.0, f"the answer states {', '.join(fact.text for fact in facts)}", evidence)


def _facts(sample: Sample, language: Language) -> list[Entity]:
    named = sample.metadata.get("fact")
    if isinstance(named, dict) and isinstance(text := named.get("text"), str) and text.strip():
        kind = cast("EntityKind", str(named.get("kind", "")))  # one that is none of ours is compared by its words
        of_kind = [entity for entity in find_entities(text, language) if entity.kind == kind]
        return of_kind[:1] or [Entity(kind, text, 0, {})]
    return find_entities(sample.reference or "", language)
