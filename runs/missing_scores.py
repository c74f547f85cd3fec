"""Why scores have no value, in the words that a run, a printed result and a notebook share."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ..presentation.result_table import Paragraph, Tone
from ..presentation.texts import one_line
from ..text.number_ranges import join_ranges
from ..text.wording import count_of

_REASONS = 3
_LONGEST_REASON = 300  # characters


def describe_missing_scores(counts: Iterable[tuple[str, str, str, int]]) -> Iterator[Paragraph]:
    """Describes the scores without a value: one paragraph per metric and status, with the most frequent reasons.

    Reasons that differ only in how much are one (`join_ranges`). Each has its count, where there are several.

    Example:
        >>> [paragraph] = describe_missing_scores([("bleu", "skipped", "the sample has no reference", 2)])
        >>> paragraph.label, paragraph.text
        ('bleu: 2 skipped:', 'the sample has no reference')
    """
    reasons: dict[tuple[str, str], Counter[str]] = {}
    for metric, status, reason, count in counts:
        reasons.setdefault((metric, status), Counter())[reason] += count
    for (metric, status), all_reasons in reasons.items():
        of_status = join_ranges(all_reasons)
        total, most = of_status.total(), of_status.most_common(_REASONS)
        shown = "; ".join(
            one_line(reason, _LONGEST_REASON) + (f" ({count})" if len(of_status) > 1 else "") for reason, count in most
        )
        more = len(of_status) - _REASONS
        tone: Tone = "bad" if status == "failed" else "warning"
        text = f"{shown}; {count_of(more, 'other reason')}" if more > 0 else shown
        yield Paragraph(text, tone, f"{metric}: {total:,} {status}:")
