"""What a report says first: of what it is, and its verdict, in at most four short lines without statistics."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from ..text.wording import Phrase, join_phrases, phrase, reader_language
from .figure import Figure, Interval
from .result_table import Paragraph
from .texts import one_line

MOST_LINES = 4
LONGEST_LINE = 90
"""Characters of what a line says, beside what it is about."""
_ABOUT = 16  # characters of the longest word at its start


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a report says first, the same in the terminal, on pages, in files and in JSON.

    Raises:
        ValueError: There are more lines than a reader takes in.
    """

    # what each line is about, as `verdict.yaml` calls it; what it says, and what it says where that has no room
    statements: tuple[tuple[str, *tuple[Phrase, ...]], ...]

    def __post_init__(self) -> None:
        if len(self.statements) > MOST_LINES:
            raise ValueError(f"a verdict has at most {MOST_LINES} lines: {self.statements}")

    def __str__(self) -> str:
        """The lines in the reader's language, what they are about in a column of its own."""
        return "\n".join(f"{about:<{_ABOUT}}  {says}" for about, says in self.lines(reader_language()))

    def lines(self, language: str | None = None) -> list[tuple[str, str]]:
        """What each line is about, and what it says: the first text that has room, else the last, whole."""
        return [
            (phrase(f"about_{about}").write(language), _fit([one.write(language) for one in says]))
            for about, *says in self.statements
        ]

    def as_json(self) -> dict[str, str]:
        """What each line says, by what it is about; in English, whoever reads."""
        return dict(self.lines())

    def paragraphs(self) -> tuple[Paragraph, ...]:
        """The lines as parts of a block, in the reader's language."""
        return tuple(
            Paragraph(says, "strong", label=about, label_width=_ABOUT, is_whole=len(says) <= LONGEST_LINE)
            for about, says in self.lines(reader_language())
        )


def _fit(texts: list[str]) -> str:
    return one_line(next((text for text in texts if len(text) <= LONGEST_LINE), texts[-1]))


def describe_day(day: date) -> Phrase:
    """Returns a day in words.

    Example:
        >>> describe_day(date(2026, 11, 29)).write("nl")
        '29 november 2026'
    """
    return phrase("on_day_of_year", day=str(day.day), month=phrase(f"month_{day.month}"), year=str(day.year))


def describe_report(
    sources: Sequence[Phrase], *, rated: int | None = None, raters: Collection[str] = (), day: date | None = None
) -> Phrase:
    """Returns the line under the title of each report: of what it is, how much is rated, by whom, and its day.

    Args:
        rated: How many answers are rated; None where that says nothing.
        day: The day of the report; today, in UTC, if left out.

    Example:
        >>> sources = [phrase("file", name="answers.csv")]
        >>> describe_report(sources, rated=60, raters=["ada", "bob"], day=date(2026, 11, 29)).write()
        'answers.csv; 60 rated answers; raters: ada, bob; report of 29 November 2026'
    """
    parts = list(sources)
    parts += [] if rated is None else [phrase("rated_answers", count=rated)]
    parts += [phrase("named_raters", raters=", ".join(raters))] if raters else []
    return join_phrases([*parts, phrase("written_on", date=describe_day(day or datetime.now(UTC).date()))])


def describe_answers(
    ratings: Sequence[float], *, lowest: float, highest: float, people: int = 1, bad_share: Interval | None = None
) -> Phrase:
    """The mean rating of rated answers, and how many are bad: rated below the middle of the scale.

    Example:
        >>> describe_answers([1, 4, 5, 4], lowest=1, highest=5, people=2).write()
        'rated 3.5 of 5 by 2 people; 1 of 4 answers is bad'
    """
    if not ratings:
        return phrase("not_rated")
    bad = sum(rating < (lowest + highest) / 2 for rating in ratings)
    likely = phrase("nothing")
    if bad_share is not None and bad_share.low is not None:
        likely = phrase("likely", low=Figure("share", bad_share.low), high=Figure("share", bad_share.high))
    is_from_one = lowest in {0, 1}
    return phrase(
        "rated",
        mean=Figure("predicted" if highest - lowest > 1 else "mean", sum(ratings) / len(ratings)),
        scale=phrase(
            "scale_of" if is_from_one else "scale_from",
            lowest=Figure("rating", lowest),
            highest=Figure("rating", highest),
        ),
        people=phrase("people", count=people) if people > 1 else phrase("nothing"),
        bad=bad,
        answers=phrase("answers", count=len(ratings)),
        are_bad=phrase("are_bad", count=bad or len(ratings)),
        likely=likely,
    )
