"""A question with its answer, made from a section."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..eval_sets import Sample
from ..languages.sections import EntityKind
from .json_lines import LinesFile
from .section import Section, Split

PairKind = Literal["long-form", "factoid"]


class Fact(BaseModel):
    """The fact that a factoid question asks for. Frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: EntityKind
    text: str


class Pair(BaseModel):
    """A question with its answer (Twente paper, 4.5 and 4.6). Frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)  # the section's id with `L` (long-form) or `F` (factoid) and a number
    section: str  # the id of the section that the pair was made from
    document: str
    language: str  # the section's language, an ISO 639-1 code
    kind: PairKind  # `long-form` for a question that needs explaining, `factoid` for one that asks for a fact
    question: str
    answer: str
    fact: Fact | None = None  # the fact that a factoid question asks for
    role: str = ""  # who asks a long-form question, such as "new customer"
    fold: int | None = None  # the section's fold, None without folds
    split: Split | None = None  # the section's split, None without folds
    topic: int | None = None  # the section's topic, None without folds
    generator: str = ""
    prompt: str = ""
    score: float | None = None  # the judge's score from 1 to 5, None where it was not asked
    rejected_by: str = ""  # the filter that rejected the pair, "" for a pair that passed
    reason: str = ""

    def reject(self, filter_name: str, reason: str) -> "Pair":
        """Returns this pair as rejected by a filter, with the reason."""
        return self.model_copy(update={"rejected_by": filter_name, "reason": reason})


def pair_to_sample(pair: Pair, section: Section) -> Sample:
    """Turns a pair into a sample that a chatbot can be evaluated with.

    Returns:
        A sample without a response: the pair's answer is its `reference`, the section its context, the document its
        group.
    """
    metadata: dict[str, Any] = pair.model_dump(
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
        metadata={name: value for name, value in metadata.items() if value != ""},
    )


_PAIRS = LinesFile(Pair, lambda pair: pair.id)


def write_pairs(pairs: Iterable[Pair], path: str | Path) -> None:
    """Writes pairs as JSON Lines, one per line."""
    _PAIRS.write(pairs, path)
