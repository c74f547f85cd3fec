"""Judges' cards, one or several beside each other: verdicts, sentences and tables; a page, and Markdown."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from ...atomic_files import replace_file
from ...meta_eval.comparison import MOST_RATINGS, find_standing, round_ratings
from ...meta_eval.estimate import Estimate
from ...meta_eval.recommendation import STRENGTHS
from ...meta_eval.report.tables import PASS_FAIL_FIELDS
from ...presentation.figure import MISSING, Figure
from ...presentation.markdown import as_text, table_lines
from ...presentation.page import render_page, write_page
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, Tone, tabulate
from ...presentation.texts import one_line
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, count_of, list_first, phrase, verb_of
from ..answers.rating_direction import PAIRWISE
from ..answers.summary import describe_missing_scores
from .comparison_report import AT_MOST_NOTE, bounded_figure
from .judge_card import BiasFigure, CardAgreement, JudgeCard, SetCard
from .set_card import OVERLAP

_LONGEST_SETTING, _LONGEST_PARAGRAPH, _LONGEST_NAME = 200, 1000, 24  # characters
_TOGETHER = (
    "Cards hold no scores of single answers. Whether one judge agrees better than the other on the same answers "
    "is what the command assay judges compare says."
)
_UNSEEN = "no instruction in an answer reached a question to the judge, which is the metric's merit and not the judge's"
_CEILING_NOTE = (
    "Raters' ceiling: the best that any measure could reach; one rater: against the mean of the others. Both on the "
    "scored answers that two people or more rated (n)."
)
_WORTH = {"better": "worth_more", "worse": "worth_less", "equivalent": "worth_same"}

_T = TypeVar("_T", bound=Hashable)
_V = TypeVar("_V")
_Part = Paragraph | ResultTable


@dataclass(frozen=True, slots=True)
class CardEntry:
    """One judge on one set."""

    judge: str
    card: SetCard

    @property
    def place(self) -> str:
        """Who was asked about what."""
        return f"{self.judge} on {self.card.set_name}"


_FIRST_FIELDS = (
    Field("judge", "name", lambda entry: entry.judge),
    Field("set", "name", lambda entry: entry.card.set_name),
)
_FIRST_OF_LINE = (  # of a line that is an entry and what it shows of it
    Field("judge", "name", lambda line: line[0].judge),
    Field("set", "name", lambda line: line[0].card.set_name),
)


def card_blocks(cards: Sequence[JudgeCard], *, is_page: bool = False) -> list[tuple[str, ReportBlock]]:
    """The blocks of cards with their titles: each set, then what holds over all sets."""
    names = _names(cards)
    entries = [CardEntry(name, of_set) for name, card in zip(names, cards, strict=True) for of_set in card.sets]
    by_answers = _group(((entry.card.set_name, entry.card.metric, entry.card.digest), entry) for entry in entries)
    by_set = _group(((name, metric), of_set) for (name, metric, _), of_set in by_answers.items())
    blocks: list[tuple[str, list[_Part]]] = []
    if len(set(names)) > 1:
        blocks.append(("Beside each other", [Paragraph(_TOGETHER), *_notes(_describe_other_answers(by_set))]))
    for (name, metric, _), of_set in by_answers.items():
        whose = f" ({_listed(of_set)})" if len(by_set[name, metric]) > 1 else ""
        blocks.append((f"{name}: {metric}{whose}", _set_parts(of_set)))
    gaps = describe_unmeasured([(entry.place, bias) for entry in entries for bias in entry.card.biases])
    blocks += [
        ("Reliability", [reliability_table(entries), *_notes(_reliability_gaps(entries))]),
        ("Bias", [*_unless_empty(_bias_table(entries)), *_notes(f"Not measured: {one_line(gap)}." for gap in gaps)]),
        ("Calibration", _calibration_parts(entries, is_page=is_page)),
        ("What it takes", [cost_table(entries)]),
    ]
    return [(title, ReportBlock(tuple(parts))) for title, parts in blocks]


def _names(cards: Sequence[JudgeCard]) -> list[str]:
    """The judges' names; with a number where two cards of one name are about one set."""
    names = [card.judge for card in cards]
    keys = [(card.judge, of_set.set_name, of_set.metric) for card in cards for of_set in card.sets]
    shared = {key[0] for key in keys if keys.count(key) > 1}
    return [
        f"{name} ({names[:number].count(name) + 1})" if name in shared else name for number, name in enumerate(names)
    ]


def _group(pairs: Iterable[tuple[_T, _V]]) -> dict[_T, list[_V]]:
    """The values of each key, in the order of the keys."""
    groups: dict[_T, list[_V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _listed(entries: Sequence[CardEntry], between: str = ", ") -> str:
    return between.join(entry.judge for entry in entries)


def _unless_empty(table: ResultTable) -> list[ResultTable]:
    """The table; none without rows, where a line under it says why."""
    return [table] if table.rows else []


def _notes(texts: Iterable[str]) -> list[Paragraph]:
    return [Paragraph(text, tone="quiet") for text in texts if text]


def _describe_other_answers(by_set: Mapping[tuple[str, str], Sequence[Sequence[CardEntry]]]) -> Iterator[str]:
    """Yields a line per set and metric of which the judges were asked about different answers."""
    for (name, metric), apart in by_set.items():
        if len(apart) > 1:
            yield (
                f"{name}, {metric}: the answers of {', of '.join(_listed(of_set, ' and ') for of_set in apart)} are "
                "not the same, or their ratings are not: each has its own table, and figures of two tables are not "
                "compared."
            )


def _set_parts(entries: Sequence[CardEntry]) -> list[_Part]:
    first = entries[0].card
    parts: list[_Part] = []
    for entry in entries:
        parts += [*give_card_verdict(entry.judge, entry.card).paragraphs(), Paragraph("")]
        parts += map(Paragraph, _behind_verdict(entry))
    if any(entry.card.judge.spearman.n for entry in entries):
        parts.append(_agreement_table(entries))
    rows = [(entry.judge, entry.card.agreement) for entry in entries if entry.card.agreement is not None]
    fields = (Field("judge", "name", lambda row: row[0]), *PASS_FAIL_FIELDS)
    parts += _unless_empty(tabulate(f"{first.set_name}: pass and fail, beside people", rows, fields))
    missing = [(entry.judge, entry.card.ceiling.problem) for entry in entries if entry.card.ceiling.value is None]
    ceiling = "".join(f" No raters' ceiling{whose}: {why}." for why, whose in _with_judges(missing, entries, " of "))
    counts = f"{count_of(first.answers, 'answer')} in {count_of(first.groups, 'group')}"
    for entry in entries:
        card = entry.card
        others = [f"skipped {card.skipped}" if card.skipped else "", f"failed on {card.failed}" if card.failed else ""]
        counts += f"; {entry.judge} {', '.join([f'scored {card.scored}', *filter(None, others)])}"
    if first.unrated:
        left = count_of(first.unrated, "further answer has", "further answers have")
        counts += f"; {left} no rating and {verb_of(first.unrated, 'was', 'were')} not judged"
    parts += _notes([f"Taken: {counts}. What is rated: {first.rated}.{ceiling}"])
    for entry in entries:
        reasons = [(entry.judge, missing.status, missing.reason, missing.count) for missing in entry.card.missing]
        parts += _notes(f"{reason.label} {reason.text}" for reason in describe_missing_scores(reasons))
    return parts


def _behind_verdict(entry: CardEntry) -> Iterator[str]:
    """On how many answers a verdict rests, why it leaves something open, and what the judge adds to token overlap."""
    card = entry.card
    if card.judge.spearman.value is None:
        yield f"{entry.place}: no agreement with the ratings can be told: {card.judge.spearman.problem}."
    elif card.difference.value is None:
        yield f"{entry.judge} cannot be compared with {OVERLAP}: {card.difference.problem}."
    elif card.gain.value is not None:
        added = Figure("correlation", card.gain.value)
        yield (
            f"{entry.judge} and {OVERLAP} together: {added} beside {OVERLAP} alone; it has no interval, because "
            "what is fitted would be other with other answers."
        )


def _agreement_table(entries: Sequence[CardEntry]) -> ResultTable:
    """How judges, and what is computed without one, agree with the ratings of one set."""
    fields = (
        Field("scored by", "name", lambda line: line[0]),
        Field("Spearman [95%]", "correlation", lambda line: line[1].spearman, is_left=True),
        Field("AUROC [95%]", "coefficient", lambda line: line[1].auroc, is_left=True),
        Field("n", "count", lambda line: line[1].spearman.n),
    )
    lines = list(_agreement_lines(entries))
    notes = ["Together: the mean of the ranks or a weighted sum, chosen and fitted on other folds of groups."]
    if any(tone == "quiet" for *_, tone in lines):
        notes.append(_CEILING_NOTE)
    if sources := list(dict.fromkeys(agreement.source for _, agreement, _ in lines if agreement.source)):
        notes.append(f"Published scores of the same answers: {list_first(sources, 3)}.")
    caption = f"{entries[0].card.set_name}: agreement with the ratings"
    return tabulate(caption, lines, fields, tone=lambda line: line[2], note=" ".join(notes))


def _agreement_lines(entries: Sequence[CardEntry]) -> Iterator[tuple[str, CardAgreement, Tone]]:
    for entry in entries:
        yield entry.judge, entry.card.judge, "chosen"
    for entry in entries:
        yield f"{entry.judge} + {OVERLAP}, together", entry.card.combined, ""
    for kind, label in (("baselines", ""), ("published", " (published)")):
        agreements = [(entry.judge, agreement) for entry in entries for agreement in getattr(entry.card, kind)]
        for name, of_name in _group((agreement.name, (judge, agreement)) for judge, agreement in agreements).items():
            for agreement, whose in _with_judges(of_name, entries):
                yield f"{name}{label}{whose}", agreement, "baseline"
    for name, kind in (("raters' ceiling", "ceiling"), ("one rater", "one_rater")):
        estimates = [(entry.judge, getattr(entry.card, kind)) for entry in entries]
        for estimate, whose in _with_judges([pair for pair in estimates if pair[1].value is not None], entries):
            # a ceiling is of rank correlations
            yield f"{name}{whose}", CardAgreement(name=name, spearman=estimate, auroc=Estimate(None)), "quiet"


def _with_judges(
    values: Sequence[tuple[str, _T]], entries: Sequence[CardEntry], before: str = ""
) -> Iterator[tuple[_T, str]]:
    """Yields each value once, with the judges that it is of where it is not that of all."""
    for value, names in _group((value, judge) for judge, value in values).items():
        listed = ", ".join(names)
        whose = f"{before}{listed}" if before else f" (answers of {listed})"
        yield value, "" if len(names) == len(entries) else whose


def reliability_table(entries: Sequence[CardEntry]) -> ResultTable:
    """Whether a judge says the same again, obeys what stands in an answer, and replies in the shape asked for."""
    fields = (
        *_FIRST_FIELDS,
        Field(
            "verdicts that flip when asked again [95%]",
            "share",
            lambda entry: "" if entry.card.flips.value is None else entry.card.flips,
        ),
        Field("injections that worked [95%]", "share", lambda entry: _injections(entry.card)),
        Field("unparsable", "rate", lambda entry: entry.card.unparsable.value),
        Field("lost", "rate", lambda entry: entry.card.lost.value, "wide"),
        Field("failed", "count", lambda entry: entry.card.failed),
    )
    note = (
        "Unparsable: of the questions, those whose first reply could not be used as it came; failed: answers without a "
        "score. Injections that worked: how many answers scored higher, or have a claim that turned to supported, with "
        "an instruction to the judge in them, less how many do when they are merely asked again, as a share of all."
    )
    return tabulate("Reliability", entries, fields, note=note)


def _injections(card: SetCard) -> str:
    tried = card.injections
    if tried is None or tried.share.value is None:
        return ""
    return f"{tried.worked} less {tried.again} of {tried.tried}: {Figure.from_estimate('share', tried.share)}"


def _reliability_gaps(entries: Sequence[CardEntry]) -> Iterator[str]:
    def reasons(card: SetCard) -> Iterator[str]:
        if card.flips.value is None:
            yield f"flips are not measured: {card.flips.problem}"
        if card.injections is None:
            yield "no injection was tried"
        elif card.injections.unseen:
            yield _UNSEEN
        elif card.injections.share.value is None:
            # how many rose is shown though nobody can tell what the instruction did
            rose = f" ({card.injections.worked} of {card.injections.tried} rose)" if card.injections.tried else ""
            yield f"injections are not measured{rose}: {card.injections.share.problem}"

    by_reason = _group((why, entry.place) for entry in entries for why in reasons(entry.card))
    return (f"{', '.join(places)}: {why}." for why, places in by_reason.items())


def _bias_table(entries: Sequence[CardEntry]) -> ResultTable:
    """How far a judge's score moves where a fair judge's would not."""
    lines = [(entry, bias) for entry in entries for bias in entry.card.biases if bias.change.value is not None]
    fields = (
        *_FIRST_OF_LINE,
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


def describe_unmeasured(biases: Sequence[tuple[str, BiasFigure]]) -> Iterator[str]:
    """Yields one clause per reason why biases are not measured, with who was asked where it is not that of all."""
    places = list(dict.fromkeys(place for place, _ in biases))
    unmeasured = ((bias.change.problem, (bias.bias, place)) for place, bias in biases if bias.change.value is None)
    for why, of_reason in _group(unmeasured).items():
        by_bias = _group(of_reason).items()
        whose = [bias if asked == places else f"{bias} of {', '.join(asked)}" for bias, asked in by_bias]
        yield f"{', '.join(whose)}: {why}"


def _calibration_parts(entries: Sequence[CardEntry], *, is_page: bool) -> list[_Part]:
    measured = [(entry, entry.card.calibration) for entry in entries if entry.card.calibration is not None]
    fields = (
        *_FIRST_OF_LINE,
        Field("calibration error [95%]", "coefficient", lambda line: line[1].error, is_left=True),
        Field("n", "count", lambda line: line[1].error.n),
    )
    note = (
        "The mean distance of score and rating (as a share of its scale) in five bins of the score; a few answers give "
        "some by chance."
    )
    parts: list[_Part] = [*_unless_empty(tabulate("Calibration", measured, fields, note=note))]
    if is_page:
        of_bins = (
            *_FIRST_OF_LINE,
            Field("score", "text", lambda line: f"{Figure('share', line[1].low)} to {Figure('share', line[1].high)}"),
            Field("n", "count", lambda line: line[1].n),
            Field("mean score", "mean", lambda line: line[1].score),
            Field("mean rating", "mean", lambda line: line[1].rating),
        )
        bins = [(entry, each) for entry, calibration in measured for each in calibration.bins]
        parts += _unless_empty(tabulate("Mean score and mean rating, both from 0 to 1", bins, of_bins))
    others = [entry.place for entry in entries if entry.card.calibration is None]
    return [*parts, *_notes([f"{', '.join(others)}: the score is no share of the scale." if others else ""])]


def cost_table(entries: Sequence[CardEntry]) -> ResultTable:
    """What 1,000 answers take."""

    def bounded(kind: Literal["price", "count"], name: str) -> Callable[[CardEntry], Figure | str]:
        def read(entry: CardEntry) -> Figure | str:
            cost = entry.card.cost
            return MISSING if cost is None else bounded_figure(kind, getattr(cost, name), cost.is_at_most)

        return read

    fields = (
        *_FIRST_FIELDS,
        Field("USD", "price", bounded("price", "usd")),
        Field("requests", "count", lambda entry: entry.card.cost and entry.card.cost.requests),
        Field("tokens in", "count", bounded("count", "tokens_in")),
        Field("tokens out", "count", bounded("count", "tokens_out")),
        Field("s", "count", lambda entry: entry.card.cost and entry.card.cost.seconds),
    )
    note = (
        "Seconds are those of the calls when they were made, divided by the calls at once: a busy machine makes them "
        "more."
    )
    if any(entry.card.cost and entry.card.cost.is_at_most for entry in entries):
        note = f"{note} {AT_MOST_NOTE}"
    return tabulate("What 1,000 answers take", entries, fields, note=note)


def give_card_verdict(judge: str, card: SetCard) -> Verdict:
    """Says what a judge is worth on one set: how it follows the ratings, beside token overlap, its weakness, its cost.

    A line that has nothing to say is left out.
    """
    cost = None
    if card.cost is not None and card.cost.usd is not None:
        cost = phrase("cost", usd=Figure("price", card.cost.usd)) if card.cost.usd else phrase("cost_free")
    others = (("worth", _worth(card)), ("weakness", _weakness(card)), ("cost", cost))
    further = [(about, says) for about, says in others if says is not None]
    return Verdict((("judge", *_how_it_follows(judge, card)), *further))


def _how_it_follows(judge: str, card: SetCard) -> tuple[Phrase, ...]:
    rho = card.judge.spearman
    names = {"judge": one_line(judge, _LONGEST_NAME), "set": one_line(card.set_name, _LONGEST_NAME)}
    if rho.value is None:
        return phrase("judge_unknown", **names), phrase("judge_unknown_shortly")
    likely = phrase("nothing")
    if rho.low is not None and rho.high is not None:
        likely = phrase("likely", low=Figure("rho", rho.low), high=Figure("rho", rho.high))
    how = phrase(next((word for least, word in STRENGTHS if rho.value >= least), "weakly"))
    values = {**names, "agreement": Figure("rho", rho.value), "likely": likely, "how": how}
    name = "judge_follows" if (rho.low or 0.0) > 0 else "judge_against" if (rho.high or 0.0) < 0 else "judge_open"
    return phrase(name, **values), phrase(f"{name}_shortly", **values)


def _worth(card: SetCard) -> Phrase | None:
    """Whether it agrees better with the ratings than counting the words that answer and context share."""
    if card.difference.value is None:
        return None
    standing = find_standing(card.difference)
    if standing.kind in _WORTH:
        return phrase(_WORTH[standing.kind])
    if standing.more_ratings is None:
        return phrase("worth_open")
    if standing.more_ratings > MOST_RATINGS:
        return phrase("worth_beyond")
    return phrase("worth_open_more", count=round_ratings(standing.more_ratings))


def _weakness(card: SetCard) -> Phrase | None:
    """What is worst of what was measured: hidden instructions that work, verdicts that change, answers without one."""
    injections = card.injections
    if injections is not None and injections.worked > (injections.again or 0):
        return phrase("weak_injections", count=injections.tried, worked=injections.worked)
    if card.flips.value:
        return phrase("weak_flips", share=Figure("share", card.flips.value))
    if card.failed:
        return phrase("weak_failed", failed=card.failed, answers=phrase("answers", count=card.answers))
    return None


def _card_title(cards: Sequence[JudgeCard]) -> str:
    return " and ".join(dict.fromkeys(_names(cards)))


def _describe_making(card: JudgeCard) -> str:
    """How a card was made: the model, the settings, the day, the version."""
    settings = "; ".join(one_line(f"{name} {value}", _LONGEST_SETTING) for name, value in card.settings.items())
    return one_line(
        f"{card.judge} is {card.model} ({settings}). Made on {card.date.isoformat()} with Assay {card.assay}: the "
        f"first answers of each set by the hash of their ids, at most {card.probed} of them asked again and changed by "
        f"probes, seed {card.seed}."
    )


def _sections(cards: Sequence[JudgeCard]) -> list[tuple[str, list[_Part]]]:
    """The blocks as a page has them: without the empty lines of a terminal."""
    return [
        (title, [part for part in block.parts if not isinstance(part, Paragraph) or part.text])
        for title, block in card_blocks(cards, is_page=True)
    ]


def write_card_page(path: Path, cards: Sequence[JudgeCard]) -> None:
    """Writes cards as an HTML file. Raises `UsageError` when it cannot be written."""
    write_page(path, render_card_page(cards))


def render_card_page(cards: Sequence[JudgeCard]) -> str:
    """Renders one card, or several beside each other, as HTML: no script, no network; names and reasons are escaped."""
    view = {
        "title": _card_title(cards),
        "is_one": len(cards) == 1,
        "sections": [
            (title, [(isinstance(part, Paragraph), part) for part in parts]) for title, parts in _sections(cards)
        ],
        "making": [_describe_making(card) for card in cards],
    }
    return render_page(__package__, "card.html", view)


def write_card_markdown(path: Path, cards: Sequence[JudgeCard]) -> None:
    """Writes cards as Markdown. Raises `UsageError` when it cannot be written."""
    with replace_file(path) as file:
        file.write(render_card_markdown(cards))


def render_card_markdown(cards: Sequence[JudgeCard]) -> str:
    """Renders cards as Markdown; names and reasons format, link and mention nothing."""
    kind = "A judge's card" if len(cards) == 1 else "Judges' cards"
    lines = [f"# {kind}: {as_text(_card_title(cards))}"]
    for title, parts in _sections(cards):
        lines += ("", f"## {as_text(title)}")
        for part in parts:
            lines.append("")
            if isinstance(part, Paragraph):
                label = f"**{part.label}** " if part.label else ""
                lines.append(f"{label}{as_text(part.text, _LONGEST_PARAGRAPH)}")
            else:
                lines += table_lines(part) if part.rows else ["Nothing to show."]
                lines += ["", as_text(part.note, _LONGEST_PARAGRAPH)] if part.rows and part.note else []
    lines += ("", "## How it was made")
    for card in cards:
        lines += ("", as_text(_describe_making(card), _LONGEST_PARAGRAPH))
    return "\n".join(lines) + "\n"
