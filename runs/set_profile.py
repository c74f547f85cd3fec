"""What the samples of a run have, so that a metric that can score none of them is noticed before anything is paid."""

import json
from collections.abc import Iterable, Iterator, Sequence

from ..errors import UsageError
from ..eval_sets import Sample
from ..eval_sets.name_suggestions import quote_names
from ..metrics import Metric
from ..metrics.metric import has_field
from ..metrics.specification import BASELINES, DEFAULT_METRICS
from ..shell_words import quote_word
from ..text.wording import count_of

_MOST_COLUMNS = 50


class SetProfile:
    """Counts the samples of a run and remembers which fields they have.

    Attributes:
        count: How many samples there are.
    """

    def __init__(self) -> None:
        self.count = 0
        self._fields: set[frozenset[str]] = set()
        self._columns: dict[str, None] = {}

    def observe(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        """Yields the samples, and counts them."""
        for sample in samples:
            self.count += 1
            fields = frozenset(name for name in type(sample).model_fields if has_field(sample, name))
            self._fields.add(fields)
            if len(self._columns) < _MOST_COLUMNS:
                self._columns |= dict.fromkeys((*sorted(fields & {"user_input", "response"}), *sample.metadata))
            yield sample

    def check(self, metrics: Sequence[Metric]) -> None:
        """Checks that the metrics that were chosen can score a sample; of the default ones, that any can.

        Args:
            metrics: The metrics of the run; the baselines do not count.

        Raises:
            UsageError: A chosen metric needs fields that no sample has; the message names the columns and the option.
        """
        chosen = [metric for metric in metrics if metric.name not in BASELINES]
        unscorable = [metric for metric in chosen if self.count and not self._can_score(metric)]
        is_default = {metric.name for metric in chosen} == set(DEFAULT_METRICS) - set(BASELINES)
        if not unscorable or (is_default and len(unscorable) < len(chosen)):
            return
        metric = unscorable[0]
        missing = [name for name in metric.needs if not any(name in fields for fields in self._fields)]
        if not missing:
            needs = " and ".join(metric.needs)
            raise UsageError(
                f"{metric.name} can score none of the {count_of(self.count, 'sample')}: none of them has {needs}"
            )
        others = [column for column in self._columns if column not in Sample.model_fields]
        theirs = others[0] if others else "THEIRS"
        typed = quote_word(f"{theirs}={missing[0]}")
        example = f"--map {typed} (in Python mapping={json.dumps({theirs: missing[0]}, ensure_ascii=False)})"
        needs = " and ".join(missing)
        raise UsageError(
            f"{metric.name} can score none of the {count_of(self.count, 'sample')}: it needs {needs}, which none of "
            "them has. The "
            f"other columns are {quote_names(others)}; say which one holds it, such as {example}, or choose "
            "other metrics (--metrics)"
        )

    def _can_score(self, metric: Metric) -> bool:
        return any(not metric.missing_fields(fields.__contains__) for fields in self._fields)
