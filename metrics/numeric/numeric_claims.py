"""Numerical claims: the share of an answer's checkable numbers that a computation over its tables bears out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...errors import UsageError
from ...eval_sets.sample import Sample
from ...installation import require_packages
from ...judges import JudgeLike, Usage, open_judge
from ...languages import FALLBACK
from ...prompts import BUNDLED, Prompts
from ...text.sentences import describe_cut_lines
from ...text.wording import count_of
from ...worker_threads import compute_beside
from ..metric import Metric
from ..score import Score, scored, skipped
from .checking import CheckedClaim, check, settle
from .lexicon import LANGUAGES, why_unread
from .parse.claim_questions import open_claim
from .parse.clause_splitter import claims_of
from .parse.judge_reading import read_by_judge
from .parse.sentence_reading import MOST_CHARACTERS, PartReading, Scene, read_sentence, scene_of
from .tables.sample_tables import caption_power, tables_of_sample
from .tables.table import NumericTable

MOST_SENTENCES = 200
"""The sentences of an answer that are read; each takes some hundredths of a second."""


class NumericClaims(Metric):
    """The share of the answer's checkable numerical claims that hold.

    Formula: claims that hold / claims that a computation decides. A number holds when the computed one rounds to it at
    its stated precision, or as its hedge ("about", "more than") allows. Range: [0, 1]. Source: the
    unpublished notes "Chatbot Evaluation", section "About Indirect Claims".

    Each sentence is read by a grammar (English, German, Dutch), by a judge, or by both; the statistic is computed from
    the sample's tables, those in its contexts and in files that it names. A judge says what each number of a claim is,
    in the claim's own words and the table's names, and computes nothing; all claims of an answer are one request.
    Skipped where there is no table, or nothing that can be checked. Bounds: sentences of up to 600 characters are read,
    the first 200 of an answer; the evidence says where a bound was met.

    Args:
        judge: Reads claims.
        prompts: The prompts of the calls.
        read: Who reads. `grammar`: the judge is never asked. `auto`: the grammar; the judge is asked about the claims
            that the grammar cannot read, and about those that it can read in ways that disagree, where the reading that
            both have counts. `judge`: the judge reads every claim with a number. Without a judge `auto` is `grammar`.

    Raises:
        UsageError: `read` is `judge`, and there is no judge.
    """

    name = "numeric_claims"
    needs = ("response",)

    def __init__(
        self,
        judge: JudgeLike | None = None,
        prompts: Prompts = BUNDLED,
        read: Literal["grammar", "auto", "judge"] = "auto",
    ) -> None:
        require_packages("numeric", "the metric numeric_claims")
        if read == "judge" and judge is None:
            raise UsageError("numeric_claims:read=judge needs a judge: name one, or leave the option out")
        self.judge = None if judge is None or read == "grammar" else open_judge(judge)
        self.read = read
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
        if language not in LANGUAGES and (unread := why_unread(language)):
            return skipped(unread, evidence)
        sentences = await compute_beside(claims_of, sample.response, language)
        bounds = [*describe_cut_lines(sample.response), *describe_unread(sentences, sample.user_input)]
        if bounds:
            evidence["bounds"] = bounds
        checked, usage = await self._check_sentences(sample, sentences[:MOST_SENTENCES], tables)
        evidence["claims"] = [claim.evidence() for claim in checked]
        if self.judge is not None:
            evidence |= {"judge": self.judge.name} | self.prompts.evidence(["numeric"], sample.language)
        decided = [claim for claim in checked if claim.checkable]
        if not decided:
            why = f': "{checked[0].text}" ({checked[0].reason})' if checked else ""
            return skipped(f"no claim of the answer is a number that can be checked{why}", evidence, usage)
        value = sum(claim.verdict == "supported" for claim in decided) / len(decided)
        return scored(value, "; ".join([_reason(checked, decided), *bounds]), evidence, usage)

    async def _check_sentences(
        self, sample: Sample, sentences: Sequence[str], tables: Sequence[NumericTable]
    ) -> tuple[list[CheckedClaim], Usage]:
        scene = await compute_beside(scene_of, tables, sample.language or FALLBACK, sample.user_input)
        read: list[_ReadSentence] = []
        for text in sentences:  # one computation each, so that a cancelled task stops between two of them
            sentence, scene = await compute_beside(_read, text, scene)
            read.append(sentence)
        usage = Usage()
        asked = [s for s in read if self._replaced(s) or any(claim.disagreeing for claim in s.claims)]
        if self.judge is not None and asked:
            opened = [await compute_beside(open_claim, sentence.text, sentence.scene) for sentence in asked]
            readings, usage = await read_by_judge(sample, opened, self.judge, self.prompts)
            for sentence, parts in zip(asked, readings, strict=True):
                by_judge = await compute_beside(_check_all, sentence.text, parts, "judge")
                replaced = self._replaced(sentence)
                others = [claim for place, claim in enumerate(sentence.claims) if place not in replaced]
                sentence.claims = [settle(claim, by_judge) if claim.disagreeing else claim for claim in others]
                sentence.claims += by_judge if replaced else []
        return [claim for sentence in read for claim in sentence.claims], usage

    def _replaced(self, sentence: "_ReadSentence") -> list[int]:
        """The places of a sentence's parts that the judge's reading stands in place of."""
        return [n for n, part in enumerate(sentence.parts) if part.numeric or (part.tiers and self.read == "judge")]


@dataclass
class _ReadSentence:
    """A sentence as the grammar reads it, in the scene that it stands in, and the verdicts on its parts."""

    text: str
    scene: Scene
    parts: list[PartReading]
    claims: list[CheckedClaim]


def _read(sentence: str, scene: Scene) -> tuple[_ReadSentence, Scene]:
    """A sentence as the grammar reads it, and the scene after it."""
    parts, after = read_sentence(sentence, scene)
    return _ReadSentence(sentence, scene, parts, _check_all(sentence, parts, "grammar")), after


def _check_all(sentence: str, parts: Sequence[PartReading], read_by: str) -> list[CheckedClaim]:
    return [check(sentence, part, read_by) for part in parts]


def describe_unread(sentences: Sequence[str], question: str) -> list[str]:
    """Describes what of an answer and its question is not read because it is too much; empty where all is."""
    unread = []
    if len(sentences) > MOST_SENTENCES:
        unread.append(f"only the first {MOST_SENTENCES} of the {count_of(len(sentences), 'sentence')} are read")
    if len(question) > MOST_CHARACTERS:
        unread.append(
            f"the question is not read: it has {count_of(len(question), 'character')}, over {MOST_CHARACTERS}"
        )
    return unread


def tables_of_claims(sample: Sample) -> list[NumericTable]:
    """The sample's tables; one from a context that states no scale has the one that the other contexts state."""
    powers = {power for text in sample.retrieved_contexts if (power := caption_power(text))}
    own = {table.name for table in sample.tables}
    scale = powers.pop() if len(powers) == 1 else 0
    return [
        replace(table, power=scale) if scale and not table.power and table.name not in own else table
        for table in tables_of_sample(sample)
    ]


def check_claims(
    sentences: Sequence[str], tables: Sequence[NumericTable], language: str, question: str = ""
) -> list[CheckedClaim]:
    """The verdicts on sentences by the grammar alone, in order: a later one may mean the series of the one before.

    The first 200 sentences are read, and a question of up to 600 characters; `describe_unread` says what is not.
    """
    return [claim for claims in check_by_sentence(sentences, tables, language, question) for claim in claims]


def check_by_sentence(
    sentences: Sequence[str], tables: Sequence[NumericTable], language: str, question: str
) -> Iterator[list[CheckedClaim]]:
    """The same verdicts, one list per sentence that is read."""
    scene = scene_of(tables, language, question)
    for sentence in sentences[:MOST_SENTENCES]:
        read, scene = _read(sentence, scene)
        yield read.claims


def _reason(checked: list[CheckedClaim], decided: list[CheckedClaim]) -> str:
    held = sum(claim.verdict == "supported" for claim in decided)
    reason = f"{held} of {count_of(len(decided), 'checkable numerical claim')} hold"
    if len(checked) > len(decided):
        reason += f"; {len(checked) - len(decided)} cannot be checked"
    if wrong := next((claim for claim in decided if claim.verdict == "contradicted"), None):
        reason += f'; contradicted: "{wrong.text}" ({wrong.reason})'
    return reason
