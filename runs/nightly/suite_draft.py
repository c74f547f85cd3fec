"""A first suite for a set: what is in the file, how it is mapped, and which metrics can score it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from ...eval_sets import Sample, load_set
from ...eval_sets.rows import Row
from ...eval_sets.sample_columns import ALIASES, known_columns, sort_row
from ...eval_sets.sources import open_source
from ...metrics.metric import has_field


@dataclass(frozen=True, slots=True)
class SetLook:
    """What a set holds.

    Attributes:
        samples: Its samples.
        notes: How it is read.
        mapping: Column -> field, of the columns whose names differ; empty for logs, which need none.
    """

    samples: tuple[Sample, ...]
    notes: tuple[str, ...]
    mapping: Mapping[str, str]

    def count(self, field: str) -> int:
        """How many samples have a field; `rating` counts ratings by several raters too."""
        if field == "rating":
            return sum(sample.human_rating is not None for sample in self.samples)
        return sum(has_field(sample, field) for sample in self.samples)


def list_columns(source: str, *, sheet: str | None = None) -> tuple[str, ...]:
    """Lists the columns of a set's first row. Raises `InputError` where the set cannot be opened."""
    opened = open_source(source, split=None, sheet=sheet, known=known_columns({}))
    first = next((row for row in opened.rows if isinstance(row, Row)), None)
    return opened.columns or (tuple(first.values) if first else ())


def look_at_set(source: str, mapping: Mapping[str, str], *, sheet: str | None = None) -> SetLook:
    """Reads a set as a run would.

    Args:
        source: The file.
        mapping: Their column -> our field.
        sheet: The sheet of an Excel file.

    Raises:
        InputError: The set cannot be read; the message says what to do.
    """
    notes: list[str] = []
    samples = load_set(source, mapping=mapping, sheet=sheet, notes=notes)
    opened = open_source(source, split=None, sheet=sheet, known=known_columns(mapping), logs=not mapping)
    first = next((row for row in opened.rows if isinstance(row, Row)), None)
    if opened.columns is None or first is None:
        return SetLook(tuple(samples), tuple(notes), dict(mapping))
    recognised = {column: field for field, column in sort_row(first.values, mapping).origins.items()}
    texts = {column: field for column, field in recognised.items() if field in ALIASES}
    return SetLook(tuple(samples), tuple(notes), {**texts, **mapping})


def choose_metrics(look: SetLook, *, has_judge: bool) -> tuple[str, ...]:
    """Chooses metrics that can score a set: those that agreed best with people's ratings, and can be computed.

    Args:
        look: What the set holds.
        has_judge: Whether there is a judge to ask.
    """
    has_contexts = look.count("retrieved_contexts") > 0
    if has_judge:
        return ("weakest_claim", "faithfulness") if has_contexts else ("answer_relevance",)
    return ("token_overlap", "rouge_l_precision") if has_contexts else ("answer_length",)


def draft_suite(
    name: str,
    source: str,
    look: SetLook,
    *,
    metrics: Sequence[str],
    judge: str | None = None,
    sheet: str | None = None,
) -> str:
    """Writes a suite as YAML, with the mapping of the columns.

    Args:
        name: The suite's name.
        source: The set, relative to the suite's folder.
        look: What the set holds.
        metrics: The metrics to score.
        judge: Who is asked; None for nobody.
        sheet: The sheet of an Excel file.

    Examples:
        >>> look = SetLook((), (), {"question": "user_input"})
        >>> print(draft_suite("answers", "answers.csv", look, metrics=["token_overlap"]))
        name: answers
        sets:
        - answers.csv
        map:
          question: user_input
        metrics:
        - token_overlap
        <BLANKLINE>
    """
    suite: dict[str, object] = {"name": name, "sets": [source]}
    if look.mapping:
        suite["map"] = dict(look.mapping)
    if sheet is not None:
        suite["sheet"] = sheet
    suite["metrics"] = list(metrics)
    if judge is not None:
        suite["judges"] = [judge]
        suite["cassette"] = {"file": f"{Path(source).stem}.replies.jsonl", "mode": "auto"}
    return yaml.safe_dump(suite, sort_keys=False, allow_unicode=True)
