"""BEGIN: replies in conversations, labelled by people as attributable to one sentence of knowledge or not."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ..rows import Row
from .original_form import OriginalFile
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
            raise ValueError(f"line 1 does not name the columns {', '.join(_COLUMNS)}")
        for index, line in enumerate(lines[1:]):
            number += 1
            system, _, knowledge, message, response, label = line.rstrip("\r").split("\t")
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
