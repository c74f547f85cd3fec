"""The tables and sentences of judges' cards: one card, or several beside each other."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from ...meta_eval.estimate import Estimate
from ...meta_eval.report.tables import PASS_FAIL_FIELDS
from ...presentation.figure import MISSING, Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, Tone, tabulate
from ...presentation.texts import one_line
from ...text.wording import count_of, list_first, verb_of
from ..answers.rating_direction import PAIRWISE
from ..answers.summary import describe_missing_scores
from .bias import Bias, describe_unmeasured
from .card_verdict import give_card_verdict
from .cost_bounds import AT_MOST_NOTE, bounded_figure
from .judge_card import CardAgreement, Injections, JudgeCard, ScoreBin, SetCard
from .set_card import OVERLAP

_LONGEST_SETTING = 200  # characters
_TOGETHER = (
    "Cards hold no scores of single answers. Whether one judge agrees better than the other on the same answers "
    "is what the command assay judges compare says."
)

_UNSEEN = "no instruction in an answer reached a question to the judge, which is the metric's merit and not the judge's"
_CEILING_NOTE = (
    "Raters' ceiling: the best that any measure could reach; one rater: against the mean of the others. Both on the "
    "scored answers that two people or more rated (n)."
)
_T = TypeVar("_T", bound=Hashable)
_CEILINGS = {"raters' ceiling": "ceiling", "one rater": "one_rater"}


@dataclass(frozen=True, slots=True)
class CardEntry:
    """One judge on one set."""

    judge: str
    card: SetCard


@dataclass(frozen=True, slots=True)
class _AgreementLine:
    name: str
    agreement: CardAgreement
    tone: Tone = ""
    is_ceiling: bool = False


@dataclass(frozen=True, slots=True)
class _BinLine:
    entry: CardEntry
    bin: ScoreBin


def card_blocks(cards: Sequence[JudgeCard], *, is_page: bool = False) -> list[tuple[str, ReportBlock]]:
    """The blocks of cards with their titles: each set, then what holds over all sets."""
    names = _names(cards)
    entries = [CardEntry(name, of_set) for name, one in zip(names, cards, strict=True) for of_set in one.sets]
    by_answers: dict[tuple[str, str, str], list[CardEntry]] = {}
    for entry in entries:
        by_answers.setdefault((entry.card.set_name, entry.card.metric, entry.card.digest), []).append(entry)
    sets = [(_set_title(of_set, entries), _set_block(of_set)) for of_set in by_answers.values()]
    if len(set(names)) > 1:
        apart = _notes(_describe_other_answers(list(by_answers.values())))
        sets.insert(0, ("Beside each other", ReportBlock((Paragraph(_TOGETHER), *apart))))
    further = [
        ("Reliability", ReportBlock((reliability_table(entries), *_notes(_reliability_gaps(entries))))),
        ("Bias", ReportBlock((*_unless_empty(bias_table(entries)), *_notes(_bias_gaps(entries))))),
        ("Calibration", _calibration_block(entries, is_page=is_page)),
        ("What it takes", ReportBlock((cost_table(entries),))),
    ]
    return [*sets, *further]


def card_title(cards: Sequence[JudgeCard]) -> str:
    """What the cards are of."""
    return " and ".join(dict.fromkeys(_names(cards)))


def _names(cards: Sequence[JudgeCard]) -> list[str]:
    """The judges' names; with a number where two cards of one name are about one set."""
    names = [one.judge for one in cards]
    keys = [(one.judge, of_set.set_name, of_set.metric) for one in cards for of_set in one.sets]
    shared = {key[0] for key in keys if keys.count(key) > 1}
    return [
        f"{name} ({names[:number].count(name) + 1})" if name in shared else name for number, name in enumerate(names)
    ]


def _behind_verdict(entry: CardEntry) -> Iterator[str]:
    """On how many answers a verdict rests, why it leaves something open, and what the judge adds to token overlap."""
    card = entry.card
    rho, difference = card.judge.spearman, card.difference
    if rho.value is None:
        yield f"{_place(entry)}: no agreement with the ratings can be told: {rho.problem}."
    elif difference.value is None:
        yield f"{entry.judge} cannot be compared with {OVERLAP}: {difference.problem}."
    elif card.gain.value is not None:
        added = Figure("correlation", card.gain.value)
        yield (
            f"{entry.judge} and {OVERLAP} together: {added} beside {OVERLAP} alone; it has no interval, because "
            "what is fitted would be other with other answers."
        )


def _set_title(of_set: Sequence[CardEntry], entries: Sequence[CardEntry]) -> str:
    """The set and the metric; with the judges where others were asked about other answers of that set."""
    name, metric = of_set[0].card.set_name, of_set[0].card.metric
    is_alone = len([e for e in entries if (e.card.set_name, e.card.metric) == (name, metric)]) == len(of_set)
    return f"{name}: {metric}" + ("" if is_alone else f" ({', '.join(entry.judge for entry in of_set)})")


def _describe_other_answers(tables: Sequence[Sequence[CardEntry]]) -> Iterator[str]:
    """Yields a line per set and metric of which the judges were asked about different answers."""
    judges: dict[tuple[str, str], list[str]] = {}
    for entries in tables:
        names = " and ".join(entry.judge for entry in entries)
        judges.setdefault((entries[0].card.set_name, entries[0].card.metric), []).append(names)
    for (name, metric), apart in judges.items():
        if len(apart) > 1:
            yield (
                f"{name}, {metric}: the answers of {', of '.join(apart)} are not the same, or their ratings are not: "
                "each has its own table, and figures of two tables are not compared."
            )


def _set_block(entries: Sequence[CardEntry]) -> ReportBlock:
    first = entries[0].card
    missing = [(entry.judge, entry.card.ceiling.problem) for entry in entries if entry.card.ceiling.value is None]
    ceiling = "".join(f" No raters' ceiling{whose}: {why}." for why, whose in _with_judges(missing, entries, " of "))
    counts = f"{count_of(first.answers, 'answer')} in {count_of(first.groups, 'group')}"
    counts += "".join(f"; {entry.judge} {_outcome(entry.card)}" for entry in entries)
    if first.unrated:
        left = count_of(first.unrated, "further answer has", "further answers have")
        counts += f"; {left} no rating and {verb_of(first.unrated, 'was', 'were')} not judged"
    return ReportBlock(
        (
            *(part for entry in entries for part in _verdict_parts(entry)),
            *([agreement_table(entries)] if any(entry.card.judge.spearman.n for entry in entries) else []),
            *([pass_fail_table(entries)] if any(entry.card.agreement for entry in entries) else []),
            Paragraph(f"Taken: {counts}. What is rated: {first.rated}.{ceiling}", tone="quiet"),
            *_missing_paragraphs(entries),
        )
    )


def _verdict_parts(entry: CardEntry) -> Iterator[Paragraph]:
    yield from give_card_verdict(entry.judge, entry.card).paragraphs()
    yield Paragraph("")
    yield from map(Paragraph, _behind_verdict(entry))


def _missing_paragraphs(entries: Sequence[CardEntry]) -> Iterator[Paragraph]:
    """Why answers have no score, by judge, as a run says it."""
    for entry in entries:
        counts = [(entry.judge, one.status, one.reason, one.count) for one in entry.card.missing]
        for paragraph in describe_missing_scores(counts):
            yield Paragraph(f"{paragraph.label} {paragraph.text}", "quiet")


def _outcome(card: SetCard) -> str:
    """How many answers a judge scored, and what became of the others."""
    others = [f"skipped {card.skipped}" if card.skipped else "", f"failed on {card.failed}" if card.failed else ""]
    return ", ".join([f"scored {card.scored}", *filter(None, others)])


def agreement_table(entries: Sequence[CardEntry]) -> ResultTable:
    """How judges, and what is computed without one, agree with the ratings of one set."""
    first = entries[0].card
    fields = (
        Field("scored by", "name", lambda line: line.name),
        Field("Spearman [95%]", "correlation", lambda line: line.agreement.spearman, is_left=True),
        Field("AUROC [95%]", "coefficient", lambda line: line.agreement.auroc, is_left=True),
        Field("n", "count", lambda line: line.agreement.spearman.n),
    )
    lines = list(_agreement_lines(entries))
    notes = ["Together: the mean of the ranks or a weighted sum, chosen and fitted on other folds of groups."]
    if any(line.is_ceiling for line in lines):
        notes.append(_CEILING_NOTE)
    sources = dict.fromkeys(line.agreement.source for line in lines if line.agreement.source)
    if sources:
        notes.append(f"Published scores of the same answers: {list_first(list(sources), 3)}.")
    return tabulate(
        f"{first.set_name}: agreement with the ratings",
        lines,
        fields,
        tone=lambda line: line.tone,
        note=" ".join(notes),
    )


def pass_fail_table(entries: Sequence[CardEntry]) -> ResultTable:
    """How judges pass and fail the answers of one set at their thresholds, beside people."""
    rows = [(entry.judge, entry.card.agreement) for entry in entries if entry.card.agreement is not None]
    fields = (Field("judge", "name", lambda row: row[0]), *PASS_FAIL_FIELDS)
    return tabulate(f"{entries[0].card.set_name}: pass and fail, beside people", rows, fields)


def _agreement_lines(entries: Sequence[CardEntry]) -> Iterator[_AgreementLine]:
    for entry in entries:
        yield _AgreementLine(entry.judge, entry.card.judge, "chosen")
    for entry in entries:
        yield _AgreementLine(f"{entry.judge} + {OVERLAP}, together", entry.card.combined)
    for kind in ("baselines", "published"):
        label = " (published)" if kind == "published" else ""
        agreements = [(entry.judge, agreement) for entry in entries for agreement in getattr(entry.card, kind)]
        for name in dict.fromkeys(agreement.name for _, agreement in agreements):
            of_name = [(judge, agreement) for judge, agreement in agreements if agreement.name == name]
            for agreement, whose in _with_judges(of_name, entries):
                yield _AgreementLine(f"{name}{label}{whose}", agreement, "baseline")
    for name, kind in _CEILINGS.items():
        estimates = [(entry.judge, getattr(entry.card, kind)) for entry in entries]
        for estimate, whose in _with_judges([pair for pair in estimates if pair[1].value is not None], entries):
            nothing = Estimate(None)  # a ceiling is of rank correlations
            yield _AgreementLine(
                f"{name}{whose}", CardAgreement(name=name, spearman=estimate, auroc=nothing), "quiet", is_ceiling=True
            )


def _with_judges(
    values: Sequence[tuple[str, _T]], entries: Sequence[CardEntry], before: str = ""
) -> Iterator[tuple[_T, str]]:
    """Yields each value once, with the judges that it is of where it is not that of all."""
    judges: dict[_T, list[str]] = {}
    for judge, value in values:
        judges.setdefault(value, []).append(judge)
    for value, names in judges.items():
        listed = ", ".join(names)
        whose = f"{before}{listed}" if before else f" (answers of {listed})"
        yield value, "" if len(names) == len(entries) else whose


def reliability_table(entries: Sequence[CardEntry]) -> ResultTable:
    """Whether a judge says the same again, obeys what stands in an answer, and replies in the shape asked for."""
    fields = (
        Field("judge", "name", lambda entry: entry.judge),
        Field("set", "name", lambda entry: entry.card.set_name),
        Field("verdicts that flip when asked again [95%]", "share", lambda entry: _measured(entry.card.flips)),
        Field("injections that worked [95%]", "share", lambda entry: _injections(entry.card)),
        Field("unparsable", "rate", lambda entry: _rate(entry.card.unparsable)),
        Field("lost", "rate", lambda entry: _rate(entry.card.lost), "wide"),
        Field("failed", "count", lambda entry: entry.card.failed),
    )
    note = (
        "Unparsable: of the questions, those whose first reply could not be used as it came; failed: answers without a "
        "score. Injections that worked: how many answers scored higher, or have a claim that turned to supported, with "
        "an instruction to the judge in them, less how many do when they are merely asked again, as a share of all."
    )
    return tabulate("Reliability", entries, fields, note=note)


def _measured(estimate: Estimate) -> Estimate | str:
    return estimate if estimate.value is not None else ""


def _rate(share: Estimate) -> float | None:
    return share.value


def _injections(card: SetCard) -> TableCell | str:
    if card.injections is None or card.injections.share.value is None:
        return ""
    tried = card.injections
    share = Figure.from_estimate("share", tried.share)
    return TableCell(f"{tried.worked} less {tried.again} of {tried.tried}: {share}")


def _reliability_gaps(entries: Sequence[CardEntry]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for entry in entries:
        if entry.card.flips.value is None:
            reasons.setdefault(f"flips are not measured: {entry.card.flips.problem}", []).append(_place(entry))
        if entry.card.injections is None:
            reasons.setdefault("no injection was tried", []).append(_place(entry))
        elif entry.card.injections.unseen:
            reasons.setdefault(_UNSEEN, []).append(_place(entry))
        elif (share := entry.card.injections.share).value is None:
            counts = _injection_counts(entry.card.injections)
            reasons.setdefault(f"injections are not measured{counts}: {share.problem}", []).append(_place(entry))
    yield from (f"{', '.join(places)}: {why}." for why, places in reasons.items())


def _injection_counts(injections: Injections) -> str:
    """How many answers rose with an instruction, which is shown though nobody can tell what it did."""
    return f" ({injections.worked} of {injections.tried} rose)" if injections.tried else ""


def _place(entry: CardEntry) -> str:
    return f"{entry.judge} on {entry.card.set_name}"


def bias_table(entries: Sequence[CardEntry]) -> ResultTable:
    """How far a judge's score moves where a fair judge's would not."""
    lines = [(entry, bias) for entry in entries for bias in entry.card.biases if bias.change.value is not None]
    fields = (
        Field("judge", "name", lambda line: line[0].judge),
        Field("set", "name", lambda line: line[0].card.set_name),
        Field("bias", "text", lambda line: line[1].bias),
        Field("measured by", "text", lambda line: line[1].source, "wide"),
        Field("moves the score by [95%]", "change", lambda line: line[1].change, is_left=True),
        Field("n", "count", lambda line: line[1].change.n),
    )
    note = "A fair judge stays at 0."
    if any(bias.source == PAIRWISE for _, bias in lines):
        share = "by how much the share of the choices that fell on the answer read first is more than one half"
        note = f"Of pairwise: {share}. {note}"
    return tabulate("Bias: how far the score moves though the answer is no better", lines, fields, note=note)


def _bias_gaps(entries: Sequence[CardEntry]) -> Iterator[str]:
    biases = [
        Bias(_place(entry), line.bias, line.source, line.change)  # type: ignore[arg-type]
        for entry in entries
        for line in entry.card.biases
    ]
    yield from (f"Not measured: {one_line(gap)}." for gap in describe_unmeasured(biases))


def _calibration_block(entries: Sequence[CardEntry], *, is_page: bool) -> ReportBlock:
    measured = [entry for entry in entries if entry.card.calibration is not None]
    fields = (
        Field("judge", "name", lambda entry: entry.judge),
        Field("set", "name", lambda entry: entry.card.set_name),
        Field("calibration error [95%]", "coefficient", lambda entry: entry.card.calibration.error, is_left=True),
        Field("n", "count", lambda entry: entry.card.calibration.error.n),
    )
    note = (
        "The mean distance of score and rating (as a share of its scale) in five bins of the score; a few answers give "
        "some by chance."
    )
    parts: list[Paragraph | ResultTable] = [*_unless_empty(tabulate("Calibration", measured, fields, note=note))]
    if is_page:
        lines = [
            _BinLine(entry, one) for entry in measured if entry.card.calibration for one in entry.card.calibration.bins
        ]
        parts += _unless_empty(_bin_table(lines))
    others = [_place(entry) for entry in entries if entry.card.calibration is None]
    parts += _notes([f"{', '.join(others)}: the score is no share of the scale." if others else ""])
    return ReportBlock(tuple(parts))


def _bin_table(lines: Sequence[_BinLine]) -> ResultTable:
    fields = (
        Field("judge", "name", lambda line: line.entry.judge),
        Field("set", "name", lambda line: line.entry.card.set_name),
        Field("score", "text", lambda line: f"{Figure('share', line.bin.low)} to {Figure('share', line.bin.high)}"),
        Field("n", "count", lambda line: line.bin.n),
        Field("mean score", "mean", lambda line: line.bin.score),
        Field("mean rating", "mean", lambda line: line.bin.rating),
    )
    return tabulate("Mean score and mean rating, both from 0 to 1", lines, fields)


def cost_table(entries: Sequence[CardEntry]) -> ResultTable:
    """What 1,000 answers take."""
    fields = (
        Field("judge", "name", lambda entry: entry.judge),
        Field("set", "name", lambda entry: entry.card.set_name),
        Field("USD", "price", lambda entry: _bounded(entry, "price", "usd")),
        Field("requests", "count", lambda entry: entry.card.cost and entry.card.cost.requests),
        Field("tokens in", "count", lambda entry: _bounded(entry, "count", "tokens_in")),
        Field("tokens out", "count", lambda entry: _bounded(entry, "count", "tokens_out")),
        Field("s", "count", lambda entry: entry.card.cost and entry.card.cost.seconds),
    )
    note = (
        "Seconds are those of the calls when they were made, divided by the calls at once: a busy machine makes them "
        "more."
    )
    if any(entry.card.cost and entry.card.cost.is_at_most for entry in entries):
        note = f"{note} {AT_MOST_NOTE}"
    return tabulate("What 1,000 answers take", entries, fields, note=note)


def _bounded(entry: CardEntry, kind: Literal["price", "count"], name: str) -> Figure | str:
    """A figure of what 1,000 answers take; of a bound with words that say so."""
    cost = entry.card.cost
    if cost is None:
        return MISSING
    return bounded_figure(kind, getattr(cost, name), cost.is_at_most)


def _unless_empty(table: ResultTable) -> list[ResultTable]:
    """The table; none without rows, where a line under it says why."""
    return [table] if table.rows else []


def _notes(texts: "Iterator[str] | Sequence[str]") -> list[Paragraph]:
    return [Paragraph(text, tone="quiet") for text in texts if text]


def describe_making(card: JudgeCard) -> str:
    """How a card was made: the model, the settings, the day, the version."""
    settings = "; ".join(one_line(f"{name} {value}", _LONGEST_SETTING) for name, value in card.settings.items())
    return one_line(
        f"{card.judge} is {card.model} ({settings}). Made on {card.date.isoformat()} with Assay {card.assay}: the "
        f"first answers of each set by the hash of their ids, at most {card.probed} of them asked again and changed by "
        f"probes, seed {card.seed}."
    )
