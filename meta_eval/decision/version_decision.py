"""The decision between versions: its values, the sentence that says it, and what it says first."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from ...presentation.figure import Figure, Kind, round_ratings
from ...presentation.texts import one_line, shorten_names
from ...presentation.verdict import Verdict
from ...text.wording import Phrase, phrase
from ..groups import FEWEST_GROUPS
from ..sequence import Look
from .version_difference import FEWEST_DIFFERING, MetricDifference

Outcome = Literal["ship", "keep", "equivalent", "unsettled"]
Basis = Literal["ratings and scores", "ratings", "preferences", "scores"]


@dataclass(frozen=True, slots=True)
class VersionEstimate:
    """What is known of one version."""

    name: str
    n: int  # how many of its answers take part
    rated: int  # how many of them are rated
    # its mean on the scale of the ratings (of the score, where nothing is rated): of its own answers, where not all are
    # rated with the help of their scores; None where nothing is known of any version
    mean: float | None
    low: float | None  # lower end of the interval, which holds for all versions together; None without one
    high: float | None
    # how probable it is that no other version has a higher mean, in [0, 1]; None without an interval, or where only a
    # score tells the versions apart: how far it likes one of them, nobody knows.
    p_best: float | None
    ranks: tuple[int, int]  # the best and the worst rank that it may have, 1 being the best
    # where preferences decide, how many of its choices it won, and how many there are, ties among them; else None
    won: int | None = None
    choices: int | None = None


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """How much better the second version is than the first."""

    first: str
    second: str
    # mean of the second less that of the first, on the questions that both answered; None where nothing is known
    difference: float | None
    # lower end of the interval, which holds for all pairs together and at all looks; None without one
    low: float | None
    high: float | None
    # the p-value of the same test: at most .05 where the interval leaves out 0; None without an interval
    p: float | None
    questions: int = 0  # how many questions both versions answered
    changed: int = 0  # how many of these have another answer in the second version
    rated: int = 0  # how many questions are rated in both versions (the same answer counts as rated in both)
    left_out: int = 0  # how many questions only one of the two answered, which say nothing of their difference
    by_score: bool = False  # whether one of the versions is not rated, so that the score alone tells them apart
    differing: int = 0  # how many questions, or groups of them, are rated otherwise in the second version


@dataclass(frozen=True, slots=True)
class Needs:
    """About what would settle an unsettled decision, in 8 of 10 cases, of each version or of one.

    Where both numbers are known, it takes both: the ratings are then all that is unrated at hand.
    """

    answers: int | None = None  # so many new answers, all rated; None where those at hand do, or nobody can tell
    ratings: int | None = None  # so many more of the answers at hand rated; None where none is left, or nobody can tell
    # the least that it may take of both together, as the difference is not known better; None where it is beyond reach
    low: int | None = None
    high: int | None = None  # the most
    # whether that is what it takes to show that nothing above the margin differs: no number of ratings tells versions
    # apart that may be equal
    is_equal: bool = False
    is_beyond: bool = False  # whether it is more than anybody can rate (10,000)
    version: str = ""  # the one version whose answers at hand are to be rated; "" for each
    of_new_groups: bool = False  # whether the new answers must be of new groups: more in those at hand say less


@dataclass(frozen=True, slots=True)
class Decision:
    """Which version is better for the raters."""

    # `ship` (the version `best` is better than the one in use), `keep` (the one in use is better than each other),
    # `equivalent` (no other differs from it by more than the margin) or `unsettled`
    verdict: Outcome
    best: str  # the version that looks best beside the one in use; of a `ship`, the one to ship
    # what is known of each version, in the order that they were named; the first is in use today
    versions: tuple[VersionEstimate, ...]
    differences: tuple[VersionDifference, ...]  # every pair of versions, those with the one in use first
    needs: Needs
    margin: float  # the largest difference that does not matter
    basis: Basis  # what the decision rests on
    scale: tuple[float, float]  # the lowest and the highest rating, or score
    measure: str = ""  # the scorer or metric that decides; "" where ratings alone do
    others: tuple[MetricDifference, ...] = ()  # what other metrics say
    notes: tuple[str, ...] = ()  # what a reader should know, each a sentence: what is left out or assumed
    look: Look | None = None  # on which look at these versions it rests; None where looks are not counted
    # why the ratings may not be a random part of the answers, or decide nothing; "" where nothing says so
    warning: str = ""
    has_other_raters: bool = False  # as `without_common_raters` makes it

    @property
    def sentence(self) -> str:
        """The decision in one or two sentences: the lines of its verdict, and the warning.

        Example:
            >>> versions = (VersionEstimate("A", 80, 30, 3.1, 2.9, 3.3, 0.0, (2, 2)),
            ...             VersionEstimate("B", 80, 30, 3.6, 3.4, 3.8, 1.0, (1, 1)))
            >>> difference = VersionDifference("A", "B", 0.5, 0.2, 0.8, 0.001)
            >>> print(Decision("ship", "B", versions, (difference,), Needs(), 0.1, "ratings", (1, 5)).sentence)
            Ship B: your raters like it better than A; B is rated 0.50 higher than A, on 1 to 5 (likely 0.20 to 0.80).
        """
        lines = give_decision_verdict(self).as_json()
        settle = f" To settle it: {lines['To settle it']}." if "To settle it" in lines else ""
        return f"{lines['Decision']}; {lines['Difference']}.{settle} {self.warning}".rstrip()

    def without_common_raters(self) -> "Decision":
        """The same where nobody rated the answers of every version to one question: they may differ by their raters."""
        if all(not row.changed for row in self.differences):
            return self
        return replace(
            self,
            verdict="unsettled",
            versions=tuple(replace(one, p_best=None, ranks=(1, len(self.versions))) for one in self.versions),
            differences=tuple(replace(row, low=None, high=None, p=None) for row in self.differences),
            needs=Needs(),
            look=None,
            warning="No rater rated the answers of every version to one question, so that the difference may be one of "
            "raters: let the same people rate both (assay rate RUN --raters NAME,NAME, for each).",
            has_other_raters=True,
        )

    def as_json(self) -> dict[str, Any]:
        """Returns the sentence and all values as JSON values."""
        look = None if self.look is None else asdict(self.look)
        if look is not None:
            del look["intervals"], look["values"], look["quantity"], look["said"]  # these are the differences
        values = asdict(replace(self, look=None, others=()))
        values["others"] = [other.as_json() for other in self.others]
        del values["has_other_raters"]  # the warning says it
        for row in values["differences"]:
            del row["differing"]  # the verdict says it where they are few
        if self.basis != "preferences":
            for version in values["versions"]:
                del version["won"], version["choices"]
        return {"sentence": self.sentence} | values | {"look": look}

    @property
    def is_doubtful(self) -> bool:
        """Whether it is settled by ratings that may be no random part of the answers."""
        return self.verdict != "unsettled" and bool(self.warning) and any(row.changed for row in self.differences)

    @property
    def passes(self) -> bool:
        """Whether the other version may be shipped: it is better, or nothing differs, and that is not in doubt."""
        return self.verdict in ("ship", "equivalent") and not self.is_doubtful

    @property
    def in_use(self) -> str:
        """The version that is in use today."""
        return self.versions[0].name

    @property
    def deciding(self) -> VersionDifference:
        """The difference that the sentence is about: of the version in use and the one to ship, or its best rival."""
        rivals = [row for row in self.differences if row.first == self.in_use]
        if self.verdict == "ship":
            return next(row for row in rivals if row.second == self.best)
        return max(rivals, key=lambda row: row.difference or 0.0)

    @property
    def is_paired(self) -> bool:
        """Whether the two versions of the deciding difference answered questions that both have."""
        row = self.deciding
        return row.questions <= min(one.n for one in self.versions if one.name in (row.first, row.second))


_LONGEST_NAME = 24  # characters
_DIFFERENCES = {"preferences": "wins", "scores": "scores"}  # else `rated`


def give_decision_verdict(decision: Decision) -> Verdict:
    """Says a decision by ratings, preferences or scores in four lines, or three where it is settled."""
    settle: list[tuple[str, *tuple[Phrase, ...]]] = []
    if decision.verdict == "unsettled":
        settle = [("settle", *_what_settles(decision))]
    return Verdict(
        (
            ("decision", *(_with_doubt(text, decision) for text in _describe_decision(decision))),
            ("difference", *_describe_difference(decision)),
            ("rests_on", *_describe_basis(decision)),
            *settle,
        )
    )


def decision_as_json(decision: Decision, runs: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The sentence, the lines of the verdict and all values as JSON values; `verdict` is ship, keep or another word.

    `runs` has the run of each version that is called by a letter: the values name the run, and the texts the letter.
    """
    names = runs or {}
    values = decision.as_json() | {"verdict_lines": give_decision_verdict(decision).as_json()}
    values["best"] = names.get(decision.best, decision.best)
    for row, keys in [
        *((row, ("name",)) for row in values["versions"]),
        *((row, ("first", "second")) for row in [*values["differences"], *values["others"]]),
        (values["needs"], ("version",)),
    ]:
        row.update({key: names.get(row[key], row[key]) for key in keys})
    return values | ({"runs": dict(names)} if names else {})


def _names(decision: Decision) -> dict[str, object]:
    """The two versions of the deciding difference: the one in use, and which of them looks better."""
    row = decision.deciding
    in_use, rival = shorten_names((row.first, row.second), _LONGEST_NAME)
    better, other = (rival, in_use) if (row.difference or 0.0) >= 0 else (in_use, rival)
    return {"in_use": in_use, "better": better, "other": other}


def _describe_decision(decision: Decision) -> tuple[Phrase, ...]:
    names, is_pair = _names(decision), len(decision.versions) == 2
    if decision.verdict == "ship":
        return phrase("ship", **names), phrase("ship_shortly", **names)
    if decision.verdict == "keep":
        kept = names | {"better": names["in_use"], "margin": Figure("rating", decision.margin)}
        text = phrase("keep_best", **kept) if _is_near(decision) else phrase("keep", **names)
        return text, phrase("keep_shortly", **kept)
    if decision.verdict == "equivalent":
        return phrase("alike" if is_pair else "all_alike", **names), phrase("alike_shortly")
    if decision.has_other_raters:
        return (phrase("unsettled_raters"),)
    return phrase("unsettled", **names), phrase("unsettled_shortly")


def _with_doubt(text: Phrase, decision: Decision) -> Phrase:
    return phrase("in_doubt", decision=text) if decision.is_doubtful else text


def _is_near(decision: Decision) -> bool:
    """Whether the decision says that the two differ by less than the margin, and not that one of them is better."""
    if decision.verdict == "keep":
        return (decision.deciding.high or 0.0) >= 0
    return decision.verdict == "equivalent"


def _describe_difference(decision: Decision) -> tuple[Phrase, ...]:
    row, is_share = decision.deciding, decision.basis == "preferences"
    if row.difference is None:
        return (phrase("difference_unknown"),)

    def figure(number: float) -> Figure:
        return Figure("share" if is_share else "mean", number)

    ends = (row.low, row.high) if row.difference >= 0 else (row.high, row.low)
    low, high = (None if end is None else end if row.difference >= 0 else -end for end in ends)
    if _is_near(decision) and low != high:
        likely = phrase("likely_less", margin=figure(decision.margin))
    elif low is None or high is None:
        likely = phrase("unsure")
    elif low == high:
        likely = phrase("nothing")
    else:
        likely = describe_likely(low, high, "share" if is_share else "mean")
    values = _names(decision) | {
        "amount": figure(abs(row.difference)),
        "lowest": Figure("rating", decision.scale[0]),
        "highest": Figure("rating", decision.scale[1]),
        "measure": one_line(decision.measure, _LONGEST_NAME) if decision.measure else phrase("a_score"),
        "likely": likely,
    }
    is_alike = str(values["amount"]) in {"0.00", "0%"}
    name = f"{_DIFFERENCES.get(decision.basis, 'rated')}_{'alike' if is_alike else 'higher'}"
    without_scale = [phrase("scores_higher_shortly", **values)] if name == "rated_higher" else []
    return phrase(name, **values), phrase(f"{name}_shortly", **values), *without_scale


def describe_likely(low: float, high: float, kind: Kind) -> Phrase:
    """The likely range of a difference of 0 or more."""
    if low < 0:
        return phrase("likely_between", lower=Figure(kind, -low), higher=Figure(kind, max(high, 0.0)))
    return phrase("likely_range", low=Figure(kind, low), high=Figure(kind, high))


def _describe_basis(decision: Decision) -> tuple[Phrase, ...]:
    is_earlier = decision.look is not None and not decision.look.error
    if is_earlier or decision.basis == "scores":
        of_scores = "on_scores" if any(one.rated for one in decision.versions) else "on_scores_alone"
        return (phrase("on_earlier" if is_earlier else of_scores),)
    if decision.basis == "preferences":
        return (phrase("on_preferences", margin=Figure("share", decision.margin)),)
    row = decision.deciding
    if row.left_out and row.rated:  # of what only one version answered the difference says nothing
        rated, answers = row.rated, phrase("pairs", count=row.questions)
    else:
        rated = sum(one.rated for one in decision.versions)
        answers = phrase("answers", count=sum(one.n for one in decision.versions))
    values = {
        "rated": rated,
        "answers": answers,
        "measure": one_line(decision.measure, _LONGEST_NAME),
        "margin": Figure("rating", decision.margin),
    }
    name = "on_ratings_and_scores" if decision.basis == "ratings and scores" and decision.measure else "on_ratings"
    basis = phrase(name, **values)
    if decision.has_other_raters:
        return phrase("by_others", basis=basis), phrase("by_others", basis=phrase("on_ratings", **values))
    if decision.warning:
        return phrase("not_at_random", basis=basis), phrase("not_at_random", basis=phrase("on_ratings", **values))
    if not decision.is_paired:
        return phrase("unpaired", basis=basis), phrase("unpaired", basis=phrase("on_ratings", **values))
    bases = [basis, phrase("on_ratings", **values)]
    if row.left_out:
        bases = [phrase("without_pair", basis=one, left_out=row.left_out) for one in bases]
    elif 0 < row.differing < FEWEST_DIFFERING:
        bases = [phrase("few_differ", basis=one, count=row.differing) for one in bases]
    matters = decision.verdict == "unsettled" or _is_near(decision)
    margin = (phrase("with_margin", basis=bases[0], **values),) if matters else ()
    return *margin, *bases


def _what_to_rate_first(needs: Needs, version: str) -> Phrase | None:
    """What it takes to tell anything, where hardly anything is rated or in too few groups; None elsewhere."""
    if needs.low is not None or needs.is_equal or not (needs.ratings or needs.answers):
        return None
    if needs.answers:
        known = FEWEST_GROUPS - needs.answers
        return phrase("settle_groups", count=needs.answers, known=known, fewest=FEWEST_GROUPS)
    name = "settle_rate_one" if version else "settle_rate"
    return phrase(name, count=round_ratings(needs.ratings or 0, zeros=0), version=version)


def _what_settles(decision: Decision) -> tuple[Phrase, ...]:
    needs = decision.needs
    if decision.has_other_raters:
        return (phrase("settle_same_raters"),)
    if needs.is_beyond:
        return (phrase("settle_beyond"),)
    more, version = needs.ratings if needs.answers is None else needs.answers, one_line(needs.version, _LONGEST_NAME)
    if (first := _what_to_rate_first(needs, version)) is not None:
        return (first,)
    if more is None:
        return (phrase("settle_unknown"),)
    is_both = needs.answers is not None and needs.ratings is not None
    is_anew = needs.answers is not None and decision.look is not None and not decision.look.error
    kind = "of_rest" if is_both else "of_ratings" if needs.answers is None else "of_answers"
    if is_anew:
        kind = "of_new_choices" if decision.basis == "preferences" else "of_new_run"
    elif decision.basis == "preferences":
        kind = "of_rest_of_choices" if is_both else "of_choices"
    elif version and needs.ratings is not None:
        kind += "_of_one"
    amount = phrase(kind, count=round_ratings(more, zeros=0), version=version, unrated=needs.ratings or 0)
    shortest = (amount,) if is_both or is_anew else ()
    if needs.of_new_groups:
        amount = phrase("of_new_groups", amount=amount)
        shortest = (amount, *shortest)
    if needs.is_equal:
        margin = Figure("rating", decision.margin)
        texts = [phrase("settle_equal", amount=amount, margin=margin), phrase("settle_equal_shortly", amount=amount)]
        if is_both and not is_anew and not needs.of_new_groups:  # what is left to rate may name a winner
            name = "settle_equal_rest_of_choices" if decision.basis == "preferences" else "settle_equal_rest"
            texts.insert(0, phrase(name, count=round_ratings(more, zeros=0), unrated=needs.ratings or 0))
        return *texts, *shortest
    likely, of_both = phrase("nothing"), "_in_all" if is_both else ""  # the range is of the ratings and the new answers
    if needs.low is not None and needs.high and round_ratings(needs.low, zeros=0) < round_ratings(needs.high, zeros=0):
        ends = {"low": round_ratings(needs.low, zeros=0), "high": round_ratings(needs.high, zeros=0)}
        likely = phrase(f"likely{of_both}", **ends)
    elif needs.low is not None and not needs.high:
        likely = phrase(f"or_more{of_both}", low=round_ratings(needs.low, zeros=0))
    name = "settle_rest" if is_both or is_anew else "settle"
    return (
        phrase(name, amount=amount, likely=likely),
        phrase(f"{name}_shortly", amount=amount, likely=likely),
        *shortest,
    )
