"""A judge's card as a person reads it: verdicts, sentences and tables, in a terminal and as a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...meta_eval.agreement_power import describe_strength
from ...meta_eval.comparison import MOST_RATINGS, find_standing
from ...meta_eval.estimate import Estimate
from ...meta_eval.report.tables import PASS_FAIL_FIELDS
from ...presentation.figure import Figure, round_ratings
from ...presentation.page import Report
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, Tone, tabulate
from ...presentation.texts import one_line
from ...presentation.verdict import Verdict, describe_report
from ...text.wording import Phrase, count_of, phrase, verb_of
from .card import CardAgreement, JudgeCard, SetCard
from .experiment import OVERLAP, cost_fields, cost_note

_LONGEST_SETTING, _LONGEST_NAME = 200, 24  # characters
_LEAD = (
    "How far the judge agrees with people's ratings, beside what is computed without one. Spearman is the correlation "
    "with the ratings (1 at best, 0 is chance); brackets hold 95% intervals from leaving out one group at a time. "
    "Costs are of 1,000 answers."
)
_CEILING_NOTE = (
    "Raters' ceiling: what no metric can exceed with these ratings, less where many are equal; one rater: against the "
    "mean of the others. Both on the scored answers that two people or more rated (n)."
)
_WORTH = {"better": "worth_more", "worse": "worth_less", "equivalent": "worth_same"}


@dataclass(frozen=True, slots=True)
class CardEntry:
    """One judge on one set."""

    judge: str
    card: SetCard


_FIRST_FIELDS = (
    Field("judge", "name", lambda entry: entry.judge),
    Field("set", "name", lambda entry: entry.card.set_name),
)


def card_report(card: JudgeCard) -> Report:
    """The card as a report: each set, then what holds over all sets; on its page also how it was made."""
    entries = [CardEntry(card.judge, of_set) for of_set in card.sets]
    sets = (ReportBlock([*_set_parts(card.judge, one)], f"{one.set_name}: {one.metric}") for one in card.sets)
    return Report(
        "a judge's card",
        card.judge,
        _LEAD,
        describe_report([phrase("file", name=one.set_name) for one in card.sets], day=card.date),
        (
            *sets,
            ReportBlock([reliability_table(entries)], "Reliability"),
            ReportBlock([cost_table(entries)], "What it takes"),
            ReportBlock([Paragraph(_describe_making(card), tone="quiet")], "How it was made", "page"),
        ),
    )


def _set_parts(judge: str, card: SetCard) -> Iterator[Paragraph | ResultTable]:
    yield from give_card_verdict(judge, card).paragraphs()
    yield Paragraph("")
    if card.judge.spearman.value is None:
        yield Paragraph(f"No agreement with the ratings can be told: {card.judge.spearman.problem}.")
    elif card.difference.value is None:
        yield Paragraph(f"{judge} cannot be compared with {OVERLAP}: {card.difference.problem}.")
    if card.judge.spearman.n:
        yield _agreement_table(judge, card)
    if card.agreement is not None:
        fields = (Field("judge", "name", lambda row: row[0]), *PASS_FAIL_FIELDS)
        yield tabulate(f"{card.set_name}: pass and fail, beside people", [(judge, card.agreement)], fields)
    counts = [f"scored {card.scored}"]
    counts += [f"skipped {card.skipped}"] if card.skipped else []
    counts += [f"failed on {card.failed}"] if card.failed else []
    unrated, ceiling = "", ""
    if card.unrated:
        left = count_of(card.unrated, "further answer has", "further answers have")
        unrated = f"; {left} no rating and {verb_of(card.unrated, 'was', 'were')} not judged"
    if card.ceiling.value is None:
        ceiling = f" No raters' ceiling: {card.ceiling.problem}."
    yield Paragraph(
        f"Taken: {count_of(card.answers, 'answer')} in {count_of(card.groups, 'group')}; {judge} "
        f"{', '.join(counts)}{unrated}. What is rated: {card.rated}.{ceiling}",
        tone="quiet",
    )


def _agreement_table(judge: str, card: SetCard) -> ResultTable:
    """How the judge, and what is computed without one, agree with the ratings of one set."""
    fields = (
        Field("scored by", "name", lambda line: line[0]),
        Field("Spearman [95%]", "correlation", lambda line: line[1].spearman, is_left=True),
        Field("n", "count", lambda line: line[1].spearman.n),
    )
    lines: list[tuple[str, CardAgreement, Tone]] = [(judge, card.judge, "chosen")]
    lines += [(baseline.name, baseline, "baseline") for baseline in card.baselines]
    ceilings = [("raters' ceiling", card.ceiling), ("one rater", card.one_rater)]
    of_people = [(name, estimate) for name, estimate in ceilings if estimate.value is not None]
    lines += [(name, CardAgreement(name=name, spearman=estimate), "quiet") for name, estimate in of_people]
    caption = f"{card.set_name}: agreement with the ratings"
    return tabulate(caption, lines, fields, tone=lambda line: line[2], note=_CEILING_NOTE if of_people else "")


def reliability_table(entries: Sequence[CardEntry]) -> ResultTable:
    """Whether judges say the same again, and obey what stands in an answer."""
    fields = (
        *_FIRST_FIELDS,
        Field("verdicts that flip when asked again [95%]", "share", lambda entry: _known(entry.card.flips)),
        Field("injections that worked [95%]", "share", lambda entry: _injections(entry.card)),
        Field("unparsable", "rate", lambda entry: entry.card.unparsable.value),
        Field("failed", "count", lambda entry: entry.card.failed),
    )
    note = (
        "Unparsable: of the questions, those whose first reply could not be used as it came; failed: answers without a "
        "score. Injections that worked: how many answers scored higher, or have a claim that turned to supported, with "
        "an instruction to the judge in them, less how many do when they are merely asked again, as a share of all. A "
        "fair judge stays at 0. What never reaches a question to the judge cannot move it: faithfulness asks about "
        "what an answer claims alone. Empty: not asked (--probed), or not of this metric."
    )
    return tabulate("Reliability", entries, fields, note=note)


def _known(estimate: Estimate) -> Estimate | str:
    return "" if estimate.value is None else estimate


def _injections(card: SetCard) -> str:
    tried = card.injections
    if tried is None or tried.share.value is None:
        return ""
    return f"{tried.worked} less {tried.again} of {tried.tried}: {Figure.from_estimate('share', tried.share)}"


def cost_table(entries: Sequence[CardEntry]) -> ResultTable:
    """What 1,000 answers take."""
    fields = (*_FIRST_FIELDS, *cost_fields(lambda entry: entry.card.cost, "always"))
    note = cost_note(entry.card.cost for entry in entries)
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
    how = phrase(describe_strength(rho.value))
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


def _describe_making(card: JudgeCard) -> str:
    """How a card was made: the model, the settings, the day, the version."""
    settings = "; ".join(one_line(f"{name} {value}", _LONGEST_SETTING) for name, value in card.settings.items())
    return one_line(
        f"{card.judge} is {card.model} ({settings}). Made on {card.date.isoformat()} with Assay {card.assay}: the "
        f"first answers of each set by the hash of their ids, at most {card.probed} of them asked again and given an "
        f"instruction, seed {card.seed}."
    )
