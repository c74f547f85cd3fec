"""Numerical claims: the share of an answer's checkable numbers that a computation over its tables bears out."""

import math
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
from ..score import Claim, Score, Verdict, scored, skipped
from .clause import claims_of
from .lexicon import LANGUAGES, why_unread
from .sample_tables import caption_power, tables_of_sample
from .sentence_reading import MOST_CHARACTERS, ClaimPart, PartReading, Scene, read_sentence, scene_of
from .specification import (
    HEDGES,
    PLACE_OF,
    Direction,
    Hedge,
    Specification,
    Statistic,
    Unverifiable,
    convert,
    unit_and_power,
)
from .statistics import STATISTICS, Computed, StatisticInput, UnitRule, format_number, statistics_in
from .table import NumericTable, rows_of

_COUNTS = statistics_in(UnitRule.COUNT)
_AMOUNTS = statistics_in(UnitRule.LEVEL, UnitRule.DISTANCE)
_CHANGES = (Statistic.DIFFERENCE, Statistic.PERCENT_CHANGE)
_YES_OR_NO = (Statistic.TREND, Statistic.COMPARISON, Statistic.NO_ANOMALY)
_STEPS = ("day", "week", "month", "year", "h")
_MOST_PERCENT = 200.0
_FURTHER = 1.5  # times its margin a round phrase ("a third") may still be meant
_ABOUT, _ABOUT_TELLING = 0.05, 0.02
_TELLING = 3  # digits from which a number is no round one: "about 362", or an agreement that is no chance
_SCALES = (3, 6)  # powers of ten that a table may be in without saying so
_ROUNDING = 1e-12  # of binary fractions: 0.1 + 0.2 is 0.3


@dataclass(frozen=True)
class Finding:
    """The verdict on one specification.

    `computed` is what it is in fact (a number in the claim's unit, a text for a time or a yes or no, None where nothing
    was computed), `unit` its unit, `arithmetic` the line that a person can follow, `reason` a sentence.
    """

    verdict: Verdict
    reason: str
    computed: float | str | None = None
    unit: str | None = None
    arithmetic: str = ""
    table: str | None = None


def compute(asked: Specification, table: NumericTable) -> Computed:
    """The statistic that a specification asks for, in one reading of one table. Raises `Unverifiable`."""
    computed = STATISTICS[asked.statistic].compute(StatisticInput(asked, table))
    groups = f"; a row is the {table.rows_are}" if table.rows_are else ""
    return replace(computed, arithmetic=f"{computed.arithmetic}{groups}")


def verify(asked: Specification, table: NumericTable) -> Finding:
    """The verdict on a specification, in every reading of a table; unverifiable where two of them disagree."""
    first, *others = (_finding(asked, reading) for reading in table.readings)
    other = next((finding for finding in others if finding.verdict != first.verdict), None)
    if other is None:
        return first
    readings = f"{first.verdict} ({first.reason}) or {other.verdict} ({other.reason})"
    why = f"two readings of the table disagree: {readings}"
    return Finding("unverifiable", why, arithmetic=first.arithmetic, table=first.table)


def _finding(asked: Specification, table: NumericTable) -> Finding:
    try:
        if asked.statistic in _COUNTS and asked.value is not None and asked.unit in _STEPS and asked.unit != table.step:
            raise Unverifiable(f"counted are {asked.unit}s, but the rows of {table.name} are not one a {asked.unit}")
        return _check_computed(asked, compute(asked, table), table)
    except Unverifiable as reason:
        return Finding("unverifiable", str(reason), table=table.name)


def _check_computed(asked: Specification, computed: Computed, table: NumericTable) -> Finding:
    if asked.place is not None and asked.statistic in (*PLACE_OF.values(), Statistic.CROSSING):
        listed = asked.place.parts if asked.statistic in PLACE_OF.values() else ()
        spots = [rows_of(table, spot, may_be_none=True).tolist() for spot in listed or (asked.place,)]
        where = ", ".join(table.row_name(place) for place in computed.places[:3]) or "nowhere"
        finding = Finding("supported", "", where, None, computed.arithmetic, table.name)
        is_there = all(any(place in computed.places for place in spot) for spot in spots)
        return _decided(asked, finding, is_there, asked.place.text or str(asked.place))
    if computed.holds is not None and (asked.value is None or asked.statistic in _YES_OR_NO):
        answer = "yes" if computed.holds else "no"
        return _decided(asked, Finding("supported", "", answer, None, computed.arithmetic, table.name), computed.holds)
    if asked.value is None or asked.statistic in PLACE_OF.values():
        raise Unverifiable(f"the claim says no value to check; {computed.arithmetic}")
    _require_same_kind(asked, table, computed.unit)
    options = list(_values_in_unit(asked, computed, table))
    match = next((option for option in options if _fits(asked, option[0])), None)
    if match is None and (why := _nearly_so(asked, computed, [value for value, _, _ in options])):
        raise Unverifiable(f"{why}; {computed.arithmetic}")
    value, unit, how = match or options[0]
    way = f" {asked.direction}" if asked.direction and asked.statistic in (*_CHANGES, Statistic.RATIO) else ""
    hedge = "" if asked.hedge is Hedge.EXACT else f"{asked.hedge.replace('_', ' ')} "
    claimed = f"{hedge}{format_number(asked.value, asked.unit)}{way}"
    line = f"{computed.arithmetic} ({how})" if how else computed.arithmetic
    return _decided(asked, Finding("supported", "", value, unit, line, table.name), match is not None, claimed)


def _decided(asked: Specification, finding: Finding, is_true: bool, claimed: str = "") -> Finding:
    """A finding with its verdict and the reason of it: what is `claimed` is empty for a yes or no."""
    line, value = finding.arithmetic, finding.computed
    text = value if isinstance(value, str) else None
    shown = format_number(float(value or 0), finding.unit) if text is None else text
    if is_true != asked.negated:
        return replace(finding, reason=line if text else f"computed {shown}: {line}")
    reason = f"{line}; the claim says otherwise"
    if claimed:
        negation = "not " if asked.negated else ""
        reason = f"the claim says {negation}{claimed}, {'it' if text else 'computed'} is {shown}: {line}"
    return replace(finding, verdict="contradicted", reason=reason)


def _require_same_kind(asked: Specification, table: NumericTable, unit: str | None) -> None:
    """Raises `Unverifiable` where a percentage is claimed of a series without a unit whose values are beyond 200.

    A part in words ("a third") is never the value of such a series.
    """
    if asked.unit != "%" or unit is not None or asked.statistic in _COUNTS | {Statistic.RATIO}:
        return
    is_beyond = asked.series in table.columns and max(map(abs, table.bounds(str(asked.series)))) > _MOST_PERCENT
    if asked.margin is not None or is_beyond:
        what = "percentage" if asked.margin is None else "part"
        raise Unverifiable(f"a {what} is claimed, and the values of {asked.series!r} are none")


def _values_in_unit(
    asked: Specification, computed: Computed, table: NumericTable
) -> Iterator[tuple[float, str | None, str]]:
    """The computed value in the claim's unit, by each definition, and on each scale that the table may be in."""
    unit = asked.unit if asked.statistic not in _COUNTS else None
    is_percent = computed.unit in ("%", "pp")
    power = unit_and_power(table.units.get(asked.series or ""))[1]
    if is_percent or not (computed.unit or asked.statistic in _AMOUNTS):
        power = 0
    scales = [(power, "")]
    if power and unit is None:
        scales.append((0, "as the table writes it"))  # "846" of a column in thousands
    if not is_percent and asked.statistic not in _COUNTS | {Statistic.RATIO, Statistic.RANK}:
        if table.power and not power:
            scales.append((table.power, f"the table is in 10^{table.power}"))
        least, most = table.bounds(asked.series) if unit == "%" and asked.series else (math.nan, math.nan)
        if computed.unit is None and least >= 0 and most <= 1:
            scales.append((2, "the series is read as shares of 1"))
    for scale, why in scales:
        for definition, value in computed.values.items():
            parts = (definition if asked.statistic is Statistic.DEVIATION else "", why)
            in_unit = convert(value * 10.0**scale, computed.unit, unit)
            yield in_unit, unit or computed.unit, "; ".join(filter(None, parts))


def _nearly_so(asked: Specification, computed: Computed, values: list[float]) -> str | None:
    """Why a claim that does not hold may still be right: a round phrase, or a change between negative values."""
    assert asked.value is not None
    if asked.margin is not None and HEDGES[asked.hedge].bound is None:
        wider = replace(asked, margin=_FURTHER * asked.margin, hedge=Hedge.ABOUT)
        is_near = any(_fits(wider, value) for value in values)
        return "the claim has a round number that may be meant" if is_near else None
    if asked.statistic in _CHANGES and (computed.base or 0.0) < 0 and any(_fits(asked, -value) for value in values):
        return "the values are negative, and the change may be meant in size"
    if asked.hedge is not Hedge.EXACT or len(f"{asked.value:g}".strip("0.-")) < _TELLING:
        return None
    is_amount = computed.unit not in ("%", "pp") and (asked.statistic in _AMOUNTS or computed.unit is not None)
    if is_amount and any(_fits(asked, value * 10.0**scale) for value in values for scale in _SCALES):
        return "the table does not say whether it is in thousands or millions, as the claim is"
    return None


def _fits(asked: Specification, value: float) -> bool:
    """Whether a computed value is as claimed, in the claimed direction."""
    assert asked.value is not None
    stated, values = asked.value, [value]
    if asked.statistic in _CHANGES and asked.direction is None:
        values = [value, -value]
    elif asked.statistic in _CHANGES and asked.direction is not Direction.FLAT:
        stated, values = abs(stated), [value if asked.direction is Direction.UP else -value]
    elif asked.statistic is Statistic.RATIO and asked.direction is Direction.DOWN and stated >= 1:
        values = [1 / value if value else 0.0]
    return any(holds(value, stated, asked.decimals, asked.hedge, asked.margin) for value in values)


def holds(computed: float, stated: float, decimals: int, hedge: Hedge, share: float | None = None) -> bool:
    """Whether a stated value holds.

    exact: the computed value rounds to it. about: that, or within 5% of it (2% of a number of three digits or more).
    nearly: up to it, from as much or half a step of its precision below ("nearly 3 minutes" from 2.5). just_over: from
    it up to as much above. more_than, less_than, at_least, at_most: as they say, of the stated value as it stands. Of
    negative values nearly and just_over are meant in size ("nearly -50" is -48). A round phrase ("a third") may be off
    by a `share` of its value in place of 5%. Decimals may be negative.
    """
    slack = _ROUNDING * max(abs(computed), abs(stated))
    above = computed - stated
    if bound := HEDGES[hedge].bound:
        return {"gt": above > slack, "ge": above >= -slack, "lt": above < -slack, "le": above <= slack}[bound]
    if share is None and hedge is not Hedge.EXACT:
        digits = str(round(abs(stated) * 10.0**decimals)).rstrip("0")  # 41,000 has two
        share = _ABOUT if len(digits) < _TELLING else _ABOUT_TELLING
    margin = max(0.5 * 10.0**-decimals, abs(stated) * (share or 0.0))
    beyond = above if stated >= 0 else -above
    least, most = (0.0 if hedge is Hedge.JUST_OVER else -margin), (0.0 if hedge is Hedge.NEARLY else margin)
    return least - slack <= beyond <= most + slack


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
