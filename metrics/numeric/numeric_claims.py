"""Numerical claims: the share of an answer's checkable numbers that a computation over its tables bears out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...eval_sets.sample import Cell, Sample, Table as SampleTable
from ...installation import require_packages
from ...languages import FALLBACK
from ...text.sentences import describe_cut_lines
from ...text.wording import count_of
from ...worker_threads import compute_beside
from ..metric import Metric
from ..sample_state import TableContext
from ..score import Claim, Score, scored, skipped
from .compute.verify import Finding, verify
from .lexicon import LANGUAGES, why_unread
from .parse.clause import claims_of
from .parse.sentence_reading import MOST_CHARACTERS, ClaimPart, PartReading, Scene, read_sentence, scene_of
from .specification import Hedge, Specification, Statistic
from .tables.sample_tables import caption_power, tables_of_sample
from .tables.table import NumericTable


@dataclass(frozen=True)
class CheckedClaim(Finding):
    """The finding on one part of a claim. `words` are the pieces of `part`, each with its meaning."""

    text: str = ""
    specification: Specification | None = None
    part: str = ""
    words: tuple[ClaimPart, ...] = ()

    @property
    def checkable(self) -> bool:
        """Whether a computation decided it."""
        return self.verdict in ("supported", "contradicted")

    def evidence(self) -> dict[str, Any]:
        """The claim as JSON values, in the shape that reports rely on."""
        asked = self.specification
        return {
            "text": self.text,
            "verdict": self.verdict,
            "statistic": str(asked.statistic) if asked else None,
            "series": asked.series if asked else None,
            "window": str(asked.window) if asked else None,
            "compared": _describe_compared(asked) if asked else None,
            "stated": _describe_stated(asked) if asked else None,
            "computed": self.computed,
            "reason": self.reason,
            "unit": self.unit,
            "arithmetic": self.arithmetic,
            "table": self.table,
            "part": self.part or self.text,
            "words": [word.as_json() for word in self.words],
        }


def check(text: str, read: PartReading) -> CheckedClaim:
    """The verdict on one reading of a claim, by the first tier of readings that can be computed."""
    claim = CheckedClaim("unverifiable", read.reason, text=text, part=read.text, words=read.words)
    for tier in read.tiers:
        findings = [(specification, verify(specification, table)) for specification, table in tier]
        decided = [pair for pair in findings if pair[1].verdict != "unverifiable"]
        if decided or (findings and claim.specification is None):
            asked, finding = (decided or findings)[0]
            claim = replace(claim, **vars(finding), specification=asked)
        if decided:
            other = next((finding for _, finding in decided if finding.verdict != claim.verdict), None)
            if other is None:
                return claim
            reason = f"two readings disagree: {claim.verdict} ({claim.reason}) or {other.verdict} ({other.reason})"
            return replace(claim, verdict="unverifiable", reason=reason)
    return claim


def _describe_compared(asked: Specification) -> str | None:
    """What the series and window of a claim are compared with; None where that is nothing."""
    other = [asked.compared_with] if asked.compared_with else []
    if asked.compared_window is not None and asked.compared_window != asked.window:
        other.append(f"over {asked.compared_window}" if other else str(asked.compared_window))
    return " ".join(other) or None


def _describe_stated(asked: Specification) -> str | None:
    """What the claim says that the statistic is: a number with its hedge and unit, a direction, a place."""
    space = "" if asked.unit == "%" else " "
    bound = {Statistic.COUNT_ABOVE: "above", Statistic.COUNT_BELOW: "below"}.get(asked.statistic, "past")
    parts = (
        "" if asked.hedge is Hedge.EXACT else asked.hedge.replace("_", " "),
        "" if asked.value is None else f"{asked.value:.{max(asked.decimals, 0)}f}{space}{asked.unit or ''}",
        asked.direction or "",
        "" if asked.threshold is None else f"{bound} {asked.threshold:g} {asked.threshold_unit or ''}",
        "" if asked.place is None else f"at {asked.place}",
    )
    statement = " ".join(part.strip() for part in parts if part)
    return f"not {statement}" if asked.negated else statement or None


MOST_SENTENCES = 200
"""The sentences of an answer that are read; each takes some hundredths of a second."""


class NumericClaims(Metric):
    """The share of the answer's checkable numerical claims that hold.

    Formula: claims that hold / claims that a computation decides. A number holds when the computed one rounds to it at
    its stated precision, or as its hedge ("about", "more than") allows. Range: [0, 1]. Source: the
    unpublished notes "Chatbot Evaluation", section "About Indirect Claims".

    Each sentence is read by a grammar (English, German, Dutch); the statistic is computed from the sample's tables,
    those in its contexts and in files that it names. Skipped where there is no table, or nothing that can be checked.
    Bounds: sentences of up to 600 characters are read, the first 200 of an answer; the evidence says where a bound was
    met.
    """

    name = "numeric_claims"
    needs = ("response",)

    def __init__(self) -> None:
        require_packages("numeric", "the metric numeric_claims")

    async def measure(self, sample: Sample) -> Score:
        """The score, with every claim as understood, computed and judged in the evidence."""
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
        checked = await self._check_sentences(sample, sentences[:MOST_SENTENCES], tables)
        evidence["claims"] = [claim.evidence() for claim in checked]
        decided = [claim for claim in checked if claim.checkable]
        if not decided:
            why = f': "{checked[0].text}" ({checked[0].reason})' if checked else ""
            return skipped(f"no claim of the answer is a number that can be checked{why}", evidence)
        value = sum(claim.verdict == "supported" for claim in decided) / len(decided)
        return scored(value, "; ".join([_reason(checked, decided), *bounds]), evidence)

    async def _check_sentences(
        self, sample: Sample, sentences: Sequence[str], tables: Sequence[NumericTable]
    ) -> list[CheckedClaim]:
        scene = await compute_beside(scene_of, tables, sample.language or FALLBACK, sample.user_input)
        checked: list[CheckedClaim] = []
        for text in sentences:  # one computation each, so that a cancelled task stops between two of them
            claims, scene = await compute_beside(_read, text, scene)
            checked += claims
        return checked


def _read(sentence: str, scene: Scene) -> tuple[list[CheckedClaim], Scene]:
    """The verdicts on the parts of a sentence, and the scene after it."""
    parts, after = read_sentence(sentence, scene)
    return [check(sentence, part) for part in parts], after


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
        claims, scene = _read(sentence, scene)
        yield claims


def _reason(checked: list[CheckedClaim], decided: list[CheckedClaim]) -> str:
    held = sum(claim.verdict == "supported" for claim in decided)
    reason = f"{held} of {count_of(len(decided), 'checkable numerical claim')} hold"
    if len(checked) > len(decided):
        reason += f"; {len(checked) - len(decided)} cannot be checked"
    if wrong := next((claim for claim in decided if claim.verdict == "contradicted"), None):
        reason += f'; contradicted: "{wrong.text}" ({wrong.reason})'
    return reason


_MOST_ROWS = 100


def with_computed_verdicts(sample: Sample, judged: Sequence[Claim]) -> list[Claim]:
    """The claims: a computable claim with the computed verdict, any other with the judge's.

    A claim with several numbers is decided when one of them is wrong, or when all of it could be checked. Of an answer
    with more than `MOST_SENTENCES` claims the first ones are computed.
    """
    tables = tables_of_claims(sample)
    language = sample.language or FALLBACK
    if not tables or language not in LANGUAGES:
        return list(judged)
    checked = check_by_sentence([claim.text for claim in judged], tables, language, sample.user_input)
    decided = [_overrule(claim, checks) for claim, checks in zip(judged, checked, strict=False)]
    return [*decided, *judged[len(decided) :]]


def _overrule(claim: Claim, checked: Sequence[CheckedClaim]) -> Claim:
    deciding = next((part for part in checked if part.verdict == "contradicted"), None)
    if deciding is None and checked and all(part.verdict == "supported" for part in checked):
        deciding = checked[0]
    if deciding is None:
        return claim
    evidence = tuple(part.evidence() for part in checked)
    return Claim(claim.text, deciding.verdict, deciding.reason, computed=evidence, overruled=claim)


def tables_as_contexts(tables: Sequence[SampleTable]) -> tuple[str, ...]:
    """Each table as lines with pipes, its name above; of a longer one the first 100 rows, and a line that says so."""
    return tuple(TableContext(_as_text(table)) for table in tables)


def _as_text(table: SampleTable) -> str:
    heads = [f"{name} ({table.units[name]})" if name in table.units else name for name in table.columns]
    rows = list(zip(*table.columns.values(), strict=True))
    lines = [table.name, _line(heads), *(_line(row) for row in rows[:_MOST_ROWS])]
    if len(rows) > _MOST_ROWS:
        lines.append(f"({len(rows) - _MOST_ROWS} more rows)")
    return "\n".join(lines)


def _line(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join("" if cell is None else " ".join(str(cell).split()) for cell in cells) + " |"
