"""What the committed cards of judges show: one table per set that people rated, and one sentence per judge and set."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import checkout  # noqa: F401
from finding import FindingSentence, Outcome, compose, decide, format_basis
from measurement import RESULTS, Claim

from assay.meta_eval import Estimate
from assay.presentation import Column, Content, Figure, ResultTable, as_text
from assay.runs import OVERLAP, CardAgreement, CardEntry, cost_table, reliability_table
from assay.runs.judging import JudgeCard, SetCard

CARDS = RESULTS / "cards"
_COMPUTED = re.compile(r"(?<![^\W_])tau(?![^\W_])")
_COLUMNS = (
    Column("what scores the answers", "name"),
    Column("Spearman with the ratings"),
    Column("more than token overlap"),
    Column("n"),
    Column("groups"),
)


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """What one judge is worth on one set."""

    card: JudgeCard
    entry: SetCard

    @property
    def name(self) -> str:
        """The set's name, without the folder and the ending of a file; of `begin.dev.jsonl` "begin, dev half"."""
        return re.sub(r"^.*[/\\]|\.jsonl$", "", self.entry.set_name).replace(".dev", ", dev half")

    @property
    def title(self) -> str:
        """The heading of the set and the metric, of words and digits."""
        return re.sub(r"[^\w-]+", " ", f"Judges by {self.entry.metric} on {self.name}").strip()

    @property
    def is_rated_by_people(self) -> bool:
        """Whether people gave the ratings; those of the tau sets are computed from a database."""
        return _COMPUTED.search(self.name) is None

    @property
    def overlap(self) -> CardAgreement | None:
        """How token overlap agrees with the same ratings; None of conversations, which it cannot score."""
        return next((baseline for baseline in self.entry.baselines if baseline.name == OVERLAP), None)

    @property
    def baselines(self) -> list[CardAgreement]:
        """What the judge stands beside: token overlap, or all baselines where that scores nothing."""
        return [self.overlap] if self.overlap else list(self.entry.baselines)

    @property
    def outcome(self) -> Outcome:
        """Whether the judge agrees better than token overlap (or chance), worse, or nobody can tell yet."""
        estimate = self.entry.difference if self.overlap else self.entry.judge.spearman
        return decide(estimate.low, estimate.high)

    @property
    def sentence(self) -> FindingSentence:
        """Whether the judge agrees better with the ratings than token overlap, or chance where that scores nothing."""
        other = "token overlap" if self.overlap else "chance"
        claim = Claim(
            subject=f"{as_text(self.entry.metric)} by {as_text(self.card.judge)}",
            holds=f"agrees better with the ratings than {other}",
            fails=f"agrees worse with the ratings than {other}",
            question=f"agrees better or worse with the ratings than {other}",
            where=f"on {as_text(self.name)}",
        )
        estimate = self.entry.difference if self.overlap else self.entry.judge.spearman
        label = "difference of Spearman's rho" if self.overlap else "Spearman's rho"
        figure = Figure.from_estimate("correlation" if self.overlap else "coefficient", replace(estimate, problem=""))
        reasons = [format_basis(estimate.n, estimate.groups), *filter(None, [as_text(estimate.problem)])]
        text = f"{compose(self.outcome, claim)}: {label} {figure} ({'; '.join(reasons)})."
        return FindingSentence(self.outcome, text, self.title)


def read_judged_sets(folder: Path = CARDS) -> list[list[JudgedSet]]:
    """Reads the cards of a folder: what each judge is worth, in the order of the first card.

    Judges stand in one table that were asked for one metric about the same answers, with the same ratings.
    """
    sets: dict[tuple[str, str, str], list[JudgedSet]] = {}
    cards = [JudgeCard.model_validate_json(file.read_bytes()) for file in folder.glob("*.json")]
    for card in sorted(cards, key=lambda card: (card.date, card.judge)):
        for entry in card.sets:
            judged = JudgedSet(card, entry)
            sets.setdefault((judged.name, entry.metric, entry.digest), []).append(judged)
    return list(sets.values())


def tabulate_set(judges: Iterable[JudgedSet]) -> ResultTable:
    """The judges of one set beside token overlap (or all baselines), and the raters' ceiling."""
    judges = list(judges)
    rows = [_row(name, estimate) for name, estimate in _of_baselines(judges)]
    for one in judges:
        judge = one.card.judge
        rows.append(_row(judge, one.entry.judge.spearman, one.entry.difference if one.overlap else None))
    first = judges[0].entry
    if first.one_rater.value is not None:
        rows.append(_row("one rater, beside the others", first.one_rater))
    if first.ceiling.value is not None:
        rows.append(_row("ceiling: the best that any measure could reach", first.ceiling))
    note = "" if first.ceiling.value is not None else f"No raters' ceiling: {first.ceiling.problem}."
    return ResultTable("", _COLUMNS, tuple(rows), note=note)


def _of_baselines(judges: list[JudgedSet]) -> list[tuple[str, Estimate]]:
    """Each baseline once; once per judge where the judges scored other answers."""
    found: dict[str, dict[str, Estimate]] = {}
    for one in judges:
        for baseline in one.baselines:
            found.setdefault(baseline.name.replace("_", " "), {})[one.card.judge] = baseline.spearman
    rows = []
    for name, by_judge in found.items():
        if len(estimates := set(by_judge.values())) == 1:
            rows.append((name, estimates.pop()))
        else:
            rows += [(f"{name}, on what {judge} scored", estimate) for judge, estimate in by_judge.items()]
    return rows


def _row(name: str, estimate: Estimate, difference: Estimate | None = None) -> tuple[Content, ...]:
    return (
        name,
        Figure.from_estimate("coefficient", estimate),
        "" if difference is None else Figure.from_estimate("correlation", difference),
        Figure("count", estimate.n),
        Figure("count", estimate.groups),
    )


def tabulate_judges(judges: Iterable[JudgedSet]) -> list[ResultTable]:
    """Whether each judge says the same again and can be talked round, and what 1,000 answers take, on each set."""
    entries = [CardEntry(one.card.judge, one.entry) for one in judges]
    return [_without_details(table) for table in (reliability_table(entries), cost_table(entries))]


def _without_details(table: ResultTable) -> ResultTable:
    """The table without the columns that a narrow terminal leaves out: a phone has no more room."""
    kept = [place for place, column in enumerate(table.columns) if column.detail == "always"]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[place] for place in kept), rows=rows)
