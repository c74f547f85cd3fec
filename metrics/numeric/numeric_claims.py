"""Numerical claims: the share of an answer's checkable numbers that a computation over its tables bears out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...eval_sets.sample import Sample
from ...installation import require_packages
from ...judges import Judge, Usage
from ...languages import FALLBACK, load_language
from ...prompts import BUNDLED, Prompts
from ...text.sentences import describe_cut_lines
from ...worker_threads import compute_beside
from ..metric import Metric, Score, scored, skipped
from .checking import CheckedClaim, check
from .lexicon import LANGUAGES
from .parse.clause_splitter import claims_of
from .parse.judge_reading import read_by_judge
from .parse.scene import MOST_CHARACTERS, Scene, scene_of
from .parse.sentence_reading import ReadCheck, Unread, read_sentence
from .tables import Table, stated_power, tables_of_sample

MOST_SENTENCES = 200
"""The sentences of an answer that are read; each takes some hundredths of a second."""


class NumericClaims(Metric):
    """The share of the answer's checkable numerical claims that hold.

    Formula: claims that hold / claims that a computation decides. A number holds when the computed one rounds to it at
    its stated precision, or as its hedge ("about", "more than") allows. Range: [0, 1]. Source: notes 004, "About
    Indirect Claims".

    Each sentence is read by a grammar (Dutch, English) and, where that fails and there is a judge, by the judge, who
    only writes down what the claim says; the statistic is computed from the sample's tables, those in its contexts and
    in files that it names. Skipped where there is no table, or nothing that can be checked. Bounds: sentences of up to
    600 characters are read, the first 200 of an answer; the evidence says where a bound was met.

    Args:
        judge: Reads the sentences that the grammar cannot.
        prompts: The prompts of the calls.
    """

    name = "numeric_claims"
    needs = ("response",)

    def __init__(self, judge: Judge | None = None, prompts: Prompts = BUNDLED) -> None:
        require_packages("numeric", "the metric numeric_claims")
        self.judge = judge
        self.prompts = prompts

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim as understood, computed and judged in the evidence.

        Raises:
            JudgeError: The judge gave no usable reply.
        """
        tables = await compute_beside(tables_of_claims, sample)
        evidence: dict[str, Any] = {"claims": [], "tables": [table.name for table in tables]}
        if not tables:
            return skipped("the sample has no table to compute from", evidence)
        language = sample.language or FALLBACK
        if language not in LANGUAGES:
            known = ", ".join(load_language(code).name for code in LANGUAGES)
            return skipped(f"numerical claims are read in {known}; there are no word lists for {language}", evidence)
        sentences = await compute_beside(claims_of, sample.response, language)
        if bounds := _bounds_met(sample, sentences):
            evidence["bounds"] = bounds
        checked, usage = await self._checked(sample, sentences[:MOST_SENTENCES], tables)
        evidence["claims"] = [claim.evidence() for claim in checked]
        if self.judge is not None:
            evidence |= {"judge": self.judge.name} | self.prompts.evidence(["numeric"], sample.language)
        decided = [claim for claim in checked if claim.checkable]
        if not decided:
            why = f': "{checked[0].text}" ({checked[0].reason})' if checked else ""
            return skipped(f"no claim of the answer is a number that can be checked{why}", evidence, usage)
        value = sum(claim.verdict == "supported" for claim in decided) / len(decided)
        return scored(value, "; ".join([_reason(checked, decided), *bounds]), evidence, usage)

    async def _checked(
        self, sample: Sample, sentences: Sequence[str], tables: Sequence[Table]
    ) -> tuple[list[CheckedClaim], Usage]:
        scene = await compute_beside(scene_of, tables, sample.language or FALLBACK, sample.user_input)
        checked: list[CheckedClaim] = []
        usage = Usage()
        for sentence in sentences:  # one computation each, so that a cancelled task stops between two of them
            read, scene = await compute_beside(read_sentence, sentence, scene)
            found, took = await self._read_again(sample, sentence, read, scene)
            usage += took
            checked += await compute_beside(_check_all, sentence, found)
        return checked, usage

    async def _read_again(
        self, sample: Sample, sentence: str, read: list[ReadCheck | Unread], scene: Scene
    ) -> tuple[list[tuple[ReadCheck | Unread, str]], Usage]:
        """What the grammar read; what it could not, though it states numbers, by the judge if there is one."""
        if self.judge is None or not any(isinstance(each, Unread) and each.numeric for each in read):
            return [(each, "grammar") for each in read], Usage()
        again, usage = await read_by_judge(sample, sentence, scene, self.judge, self.prompts)
        kept = [(each, "grammar") for each in read if not (isinstance(each, Unread) and each.numeric)]
        return [*kept, *((each, "judge") for each in again)], usage


def _check_all(sentence: str, readings: Sequence[tuple[ReadCheck | Unread, str]]) -> list[CheckedClaim]:
    return [check(sentence, read, by) for read, by in readings]


def _bounds_met(sample: Sample, sentences: Sequence[str]) -> list[str]:
    """What of the sample is not read because it is too much, in words."""
    return [*describe_cut_lines(sample.response), *describe_unread(sentences, sample.user_input)]


def describe_unread(sentences: Sequence[str], question: str) -> list[str]:
    """Describes what of an answer and its question is not read because it is too much; empty where all is."""
    unread = []
    if len(sentences) > MOST_SENTENCES:
        unread.append(f"only the first {MOST_SENTENCES} of the {len(sentences):,} sentences are read")
    if len(question) > MOST_CHARACTERS:
        unread.append(f"the question is not read: it has {len(question):,} characters, over {MOST_CHARACTERS}")
    return unread


def tables_of_claims(sample: Sample) -> list[Table]:
    """The sample's tables; one from a context that states no scale has the one that the other contexts state."""
    powers = {power for text in sample.retrieved_contexts if (power := stated_power(text))}
    own = {table.name for table in sample.tables}
    scale = powers.pop() if len(powers) == 1 else 0
    return [
        replace(table, power=scale) if scale and not table.power and table.name not in own else table
        for table in tables_of_sample(sample)
    ]


def check_claims(
    sentences: Sequence[str], tables: Sequence[Table], language: str, question: str = ""
) -> list[CheckedClaim]:
    """The verdicts on sentences by the grammar alone, in order: a later one may mean the series of the one before.

    The first 200 sentences are read, and a question of up to 600 characters; `describe_unread` says what is not.
    """
    scene = scene_of(tables, language, question)
    checked: list[CheckedClaim] = []
    for sentence in sentences[:MOST_SENTENCES]:
        read, scene = read_sentence(sentence, scene)
        checked += [check(sentence, each, "grammar") for each in read]
    return checked


def _reason(checked: list[CheckedClaim], decided: list[CheckedClaim]) -> str:
    held = sum(claim.verdict == "supported" for claim in decided)
    reason = f"{held} of {len(decided)} checkable numerical claims hold"
    if len(checked) > len(decided):
        reason += f"; {len(checked) - len(decided)} cannot be checked"
    if wrong := next((claim for claim in decided if claim.verdict == "contradicted"), None):
        reason += f'; contradicted: "{wrong.text}" ({wrong.reason})'
    return reason
