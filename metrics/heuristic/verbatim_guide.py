"""Verbatim Guide Defined (Lassche et al., 2024, V-B): the answer gives a guide of the context, step by step."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...languages import Language
from ...text.components import find_components, find_guides, normal_name
from ...text.lemmas import content_lemmas, words
from ...text.wording import count_of
from ..score import Score, scored
from .feature import Feature, SampleTexts, bound_evidence

THRESHOLD = 0.85
MOST_GUIDES = 50
"""At most so many guides of the answer and of the contexts are compared: each is compared with every other."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


class GuideMatch(NamedTuple):
    """A guide of the answer, the nearest guide of the contexts, and the cosine of each step with its counterpart."""

    answer: tuple[str, ...]
    context: tuple[str, ...]
    cosines: tuple[float, ...]
    verbatim: bool
    difference: str


def step_cosine(left: Sequence[str], right: Sequence[str]) -> float:
    """The cosine of two steps' counts of content lemmas, in [0, 1]; two steps without any are the same."""
    if not left or not right:
        return float(list(left) == list(right))
    a, b = Counter(left), Counter(right)
    both = sum(count * b[word] for word, count in a.items())
    return both / math.sqrt(sum(c * c for c in a.values()) * sum(c * c for c in b.values()))


def match_guides(
    answer: Iterable[tuple[str, ...]],
    context: Iterable[tuple[str, ...]],
    language: Language,
    threshold: float = THRESHOLD,
) -> GuideMatch | None:
    """Finds the best match of a guide of the answer with one of the contexts of equal length; None without such a pair.

    A match is verbatim when every step has a cosine of at least `threshold` with the step at the same place, has the
    same components, numbers and negations, and replaces no word: one replaced word in a long step keeps a high cosine,
    and still sends the reader elsewhere.
    """
    guides = list(context)
    matches = [
        _match(answer_guide, context_guide, language, threshold)
        for answer_guide in answer
        for context_guide in guides
        if len(answer_guide) == len(context_guide)
    ]
    return max(matches, key=lambda match: (match.verbatim, sum(match.cosines) / len(match.cosines)), default=None)


def _match(
    answer_guide: tuple[str, ...], context_guide: tuple[str, ...], language: Language, threshold: float
) -> GuideMatch:
    cosines, difference = [], ""
    for place, (left, right) in enumerate(zip(answer_guide, context_guide, strict=True), start=1):
        a, b = content_lemmas(left, language), content_lemmas(right, language)
        cosine = step_cosine(a, b)
        cosines.append(round(cosine, 3))
        changed = [sorted(set(a) - set(b)), sorted(set(b) - set(a))]
        same = _fixed(left, language) == _fixed(right, language)
        if not difference and (cosine < threshold or all(changed) or not same):
            difference = f"step {place} is {left!r}, in the context {right!r}"
    return GuideMatch(answer_guide, context_guide, tuple(cosines), not difference, difference)


def _fixed(step: str, language: Language) -> tuple[set[tuple[str, ...]], list[str], list[str]]:
    """Lists what a verbatim step must not change: its components, numbers and negations."""
    names = {normal_name(component.name, language) for component in find_components(step, language)}
    denied = [word for word in words(step) if word in language.words.negations]
    return names, sorted(_NUMBER.findall(step)), denied


class VerbatimGuide(Feature):
    """1 when a guide in the answer is a guide of the contexts, step by step; else 0."""

    name = "heuristic.verbatim_guide"
    starred = True

    def __init__(self, threshold: float = THRESHOLD) -> None:
        """`threshold` is the least cosine of a step with its like, in (0, 1]. Raises `ValueError` for any other."""
        super().__init__()
        self._threshold = threshold
        if not 0 < self._threshold <= 1:
            raise ValueError(f"threshold must be above 0 and at most 1, not {self._threshold:g}")

    def score_texts(self, texts: SampleTexts) -> Score:
        """Always scored: an answer without a guide has 0."""
        all_guides = find_guides(texts.answer, texts.language)
        guides = all_guides[:MOST_GUIDES]
        if not guides:
            return scored(0.0, "the answer has no guide of numbered or bulleted steps", {"verbatim": False})
        all_known = [guide for context in texts.contexts for guide in find_guides(context, texts.language)]
        known = all_known[:MOST_GUIDES]
        compared = max(len(all_guides), len(all_known))
        bounds = bound_evidence("guides of answer or contexts are compared", compared, MOST_GUIDES)
        match = match_guides(guides, known, texts.language, self._threshold)
        if match is None:
            lengths = f"{[len(guide) for guide in guides]} steps, the context's {[len(guide) for guide in known]}"
            return scored(0.0, f"no guide of equal length: the answer's have {lengths}", {"verbatim": False} | bounds)
        evidence = {"verbatim": match.verbatim, "steps": [*match.answer], "cosines": [*match.cosines]} | bounds
        if match.verbatim:
            return scored(
                1.0, f"the answer's {count_of(len(match.answer), 'step')} are the context's, step by step", evidence
            )
        return scored(0.0, f"the guide is not verbatim: {match.difference}", evidence)
