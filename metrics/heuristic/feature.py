"""What a feature is, and how a sample's texts are read."""

from abc import abstractmethod
from typing import NamedTuple

from ...errors import UsageError
from ...eval_sets.sample import Sample
from ...installation import require_packages
from ...judges import Judge, JudgeLike, open_judge
from ...languages import FALLBACK, Language, find_language, language_or_fallback, packs_with
from ...text.lemmas import lemmas
from ...worker_threads import compute_beside
from ..metric import Metric
from ..score import Score, skipped
from .parse_cache import Parsed, find_pipeline, parsed_texts

SECTIONS = ("words", "components")
"""The sections of a language pack that every heuristic needs."""


def bound_evidence(what: str, count: int, most: int) -> dict[str, list[str]]:
    """Says in a score's evidence that only the first part of a text was worked through; nothing where all of it was.

    Example:
        >>> bound_evidence("steps are compared", 1200, 500)
        {'bounds': ['only the first 500 of 1,200 steps are compared']}
        >>> bound_evidence("steps are compared", 12, 500)
        {}
    """
    return {"bounds": [f"only the first {most:,} of {count:,} {what}"]} if count > most else {}


class SampleTexts(NamedTuple):
    """A sample's texts, plain and parsed. Without parsing (`parsed=False` in a feature) the subjects are None."""

    language: Language
    question: str
    answer: str
    contexts: tuple[str, ...]
    question_parsed: Parsed
    answer_parsed: Parsed
    contexts_parsed: tuple[Parsed, ...]
    lacking: str = ""


def skip_without_pack(sample: Sample, *sections: str) -> Score | None:
    """The skipped score of a sample whose language the heuristics cannot read; None for another."""
    code = sample.language or FALLBACK
    language = find_language(code)
    if language is not None and language.has(*sections):
        return None
    known = ", ".join(pack.name for pack in packs_with(*sections))
    if language is None:
        return skipped(f"the heuristics have no language pack for {code}; they know {known}")
    return skipped(f"the language pack for {language.name} has no word lists for the heuristics; they know {known}")


async def read(sample: Sample, *, is_parsed: bool = True) -> SampleTexts:
    """Reads a sample: parsed, or lemmatised only. Raises `UsageError` for a bad pipeline."""
    language = language_or_fallback(sample.language)
    plain = (sample.user_input, sample.response, *sample.retrieved_contexts)
    if is_parsed:
        parsed, lacking = await parsed_texts().parse(plain, language), find_pipeline(language).lacking
    else:
        parsed, lacking = await compute_beside(_lemmatised, plain, language), ""
    question, answer, *contexts = parsed
    return SampleTexts(
        language,
        sample.user_input,
        sample.response,
        sample.retrieved_contexts,
        question,
        answer,
        tuple(contexts),
        lacking,
    )


def _lemmatised(texts: tuple[str, ...], language: Language) -> list[Parsed]:
    return [Parsed(lemmas(text, language), None) for text in texts]


class Feature(Metric):
    """One heuristic, in [0, 1], where 1 speaks for the answer. Write `score_texts`.

    `parsed` says whether it needs the parse, `starred` whether it can work on English text for a set in another
    language (the star in Lassche et al. (2024), V-B).
    """

    parsed: bool = False
    starred: bool = False
    needs: tuple[str, ...] = ("response", "retrieved_contexts")

    def __init__(self) -> None:
        require_packages("heuristic", f"the metric {type(self).name}")

    @property
    def short_name(self) -> str:
        """The name without `heuristic.` before it."""
        return type(self).name.removeprefix("heuristic.")

    @abstractmethod
    def score_texts(self, texts: SampleTexts) -> Score:
        """The feature of a sample that was read; `skipped` where there is nothing to measure."""

    async def measure(self, sample: Sample) -> Score:
        """Scores the sample's texts. Skipped where its language has no pack with word lists for the heuristics.

        Raises `UsageError` when the named pipeline cannot be used.
        """
        if unread := skip_without_pack(sample, *SECTIONS):
            return unread
        texts = await read(sample, is_parsed=self.parsed)
        return await compute_beside(self.score_texts, texts)


def open_translator(translate: str | None, judge: JudgeLike | None) -> Judge | None:
    """The judge that translates; None where nothing is translated. Raises `UsageError` when there is none to ask."""
    if translate is None:
        return None
    if translate != "judge":
        raise UsageError(f"translate is 'judge', not {translate!r}; a judge translates")
    if judge is None:
        raise UsageError("translate=judge needs a judge; name one with --judge (in Python: judge=...)")
    return open_judge(judge)
