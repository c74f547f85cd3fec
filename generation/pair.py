"""A question with its answer, made from a section: kept, or rejected with the reason."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..eval_sets import Sample
from .json_lines import read_lines, write_lines
from .section import Section, Split

PairKind = Literal["long-form", "factoid"]
PAIRS_COMMAND = "assay generate questions sections.jsonl -o pairs.jsonl"


class Fact(BaseModel):
    """What a factoid question asks for: its kind (`phone`, `email`, `date`, `hours`, ...) and its words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    text: str


class Pair(BaseModel):
    """A question with its answer (003, 4.5 and 4.6). `generator` and `prompt` say who wrote it, `role` who asks.

    `score` is the model's 1 to 5, None before it was asked. `rejected_by` names the filter that rejected it, with its
    `reason`; both are "" for a pair that stands. Frozen.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    section: str
    document: str
    language: str
    kind: PairKind
    question: str
    answer: str
    fact: Fact | None = None
    role: str = ""
    fold: int | None = None
    split: Split | None = None
    topic: int | None = None
    generator: str = ""
    prompt: str = ""
    score: float | None = None
    rejected_by: str = ""
    reason: str = ""

    def rejected(self, by: str, reason: str) -> "Pair":
        """This pair, rejected by a filter."""
        return self.model_copy(update={"rejected_by": by, "reason": reason})


def pair_to_sample(pair: Pair, section: Section) -> Sample:
    """The pair as a sample of a set: no response yet, the answer as reference, the section as its context."""
    known: dict[str, Any] = pair.model_dump(
        include={"section", "kind", "fact", "role", "fold", "split", "topic", "generator", "prompt", "score"},
        exclude_none=True,
    )
    return Sample(
        id=pair.id,
        user_input=pair.question,
        response="",
        reference=pair.answer,
        retrieved_contexts=(section.full_text,),
        language=pair.language,
        group=pair.document,
        metadata={name: value for name, value in known.items() if value != ""},
    )


def read_pairs(path: str | Path) -> list[Pair]:
    """The pairs of a file of `assay generate questions`. Raises `InputError` with line, field and cure."""
    return read_lines(path, Pair, lambda pair: pair.id, PAIRS_COMMAND)


def write_pairs(pairs: Iterable[Pair], path: str | Path) -> int:
    """Writes pairs as JSON Lines, one a line; returns how many. Raises `InputError` where it cannot be written."""
    return write_lines(pairs, path)
