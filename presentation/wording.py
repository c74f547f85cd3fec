"""What reports say in the same words: a rating with its scale, and what a report is of."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime

from ..text.wording import Phrase, join_phrases, phrase
from .figure import Figure, Kind


def format_rating(value: float, low: float, high: float, kind: Kind = "rating") -> str:
    """Returns a rating, a mean of ratings or a predicted one in its own scale, as all pages and tables write it.

    Examples:
        >>> format_rating(4.5, 1, 5), format_rating(0.8, 0, 1), format_rating(-1, -2, 2)
        ('4.5 of 5', '0.8 of 1', '-1 of -2 to 2')
    """
    lowest = "" if low in (0, 1) else f"{Figure('rating', low)} to "
    return f"{Figure(kind, value)} of {lowest}{Figure('rating', high)}"


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
        sources: The runs and files.
        rated: How many answers are rated; None where that says nothing.
        raters: The names of the raters, as far as they are known.
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
