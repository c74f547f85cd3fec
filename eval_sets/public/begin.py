"""BEGIN: replies in conversations, labelled by people as attributable to one sentence of knowledge or not."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ...errors import InputError
from ...text.wording import count_of
from ...value_messages import shorten
from ..rows import Row
from .original_form import OriginalFile, OriginalValue
from .set_facts import PublicSet

_COLUMNS = ["model_name", "data_source", "knowledge", "message", "response", "begin_label"]
_RATINGS = {"Fully attributable": 1, "Not fully attributable": 0, "Generic": 0}
_LETTERS = re.compile(r"[^a-z0-9]")
_LONGEST_GROUP = 80  # the sentences that differ after so many letters differ in their ends only


def read_begin(facts: PublicSet, files: Sequence[OriginalFile]) -> Iterator[Row]:
    """Reads one row per reply."""
    number = 0
    for file in files:
        part = PurePosixPath(file.path).stem.split("_")[1]  # begin_dev_wow.tsv
        lines = file.text.removesuffix("\n").split("\n")
        if lines[0].rstrip("\r").split("\t") != _COLUMNS:
            raise OriginalValue(lines[0], file.path, "line 1").error(f"does not name the columns {', '.join(_COLUMNS)}")
        for index, line in enumerate(lines[1:]):
            number += 1
            place = OriginalValue(line, file.path, f"line {index + 2}")
            cells = place.text().rstrip("\r").split("\t")
            if len(cells) != len(_COLUMNS):
                raise place.error(f"has {count_of(len(cells), 'column')}, not {len(_COLUMNS)}")
            system, _, knowledge, message, response, label = cells
            if label not in _RATINGS:
                raise _unknown_label(place, label)
            yield Row(
                number,
                f"reply {number}",
                {
                    "id": f"begin-{part}-{index}",
                    "user_input": message,
                    "retrieved_contexts": [knowledge],
                    "response": response,
                    "rating": _RATINGS[label],
                    "rating_min": 0,
                    "rating_max": 1,
                    "metadata": facts.describe_rating(file.path)
                    | {"group": f"begin:{_LETTERS.sub('', knowledge.lower())[:_LONGEST_GROUP]}", "system": system},
                },
            )


def _unknown_label(place: OriginalValue, label: str) -> InputError:
    return place.error(f"has the label `{shorten(label)}`, not one of {', '.join(_RATINGS)}")
