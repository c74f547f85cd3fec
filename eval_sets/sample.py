"""The thing under test: one message-answer pair, with what is known about it."""

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError, to_json

from ..value_messages import check_characters
from .message import Message, is_turn_id

Cell = int | float | str | bool | None
ACCEPTED_SAMPLES = "a list of samples; load_set and read_samples make them of files and data"
"""What may come as samples, in words."""
FILE = "file"
"""The rater of ratings that a set came with, and that name none."""


class Table(BaseModel):
    """Numeric context of a sample: named columns of equal length, with their units.

    Raises `pydantic.ValidationError` when columns differ in length or a unit names no column.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    columns: dict[str, list[Cell]]
    units: dict[str, str] = {}

    @model_validator(mode="after")
    def _rectangular(self) -> "Table":
        lengths = {name: len(cells) for name, cells in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns differ in length: {lengths}")
        if unknown := sorted(set(self.units) - set(self.columns)):
            raise ValueError(f"units are given for {unknown}, which are no columns of the table")
        return self


class Sample(BaseModel):
    """One message-answer pair under test. The field names are Ragas's, where Ragas has the field.

    A sample with `messages` is a conversation. Its `user_input` and `response` are the turn under test: where they are
    left out, the last question and its answer. The first `system` message is the company's policy.

    `rating` is a person's judgement on the scale `rating_min`..`rating_max` (1-5 if not said); `ratings` holds
    one a rater. `group` names what samples have in common (their source): they are resampled together.
    An `id` that is left out is given by `evaluate`: `sample-1` and so on.
    Frozen. Raises `pydantic.ValidationError`, which `load_set` turns into an `InputError` with file and line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str = Field(default="", min_length=1)
    user_input: str
    response: str
    retrieved_contexts: tuple[str, ...] = ()
    reference: str | None = None
    language: str | None = Field(default=None, pattern=r"^[a-z]{2,3}$", description="ISO 639, such as nl")
    tables: tuple[Table, ...] = ()
    rating: float | None = None
    ratings: dict[str, float] = {}
    rating_min: float = 1
    rating_max: float = 5
    message_type: str | None = None
    group: str | None = None
    messages: tuple[Message, ...] = ()
    metadata: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _with_messages(cls, values: Any) -> Any:
        if not isinstance(values, dict) or not (values.get("messages") or _has_history(values)):
            return values
        from .thread import ThreadError, join_turn

        try:
            return join_turn(values)
        except ThreadError as error:
            context = {"field": error.field, "problem": str(error)}
            raise PydanticCustomError("no_thread", "{field}: {problem}", context) from None

    @field_validator("retrieved_contexts", mode="before")
    @classmethod
    def _without_blank_contexts(cls, contexts: Any) -> Any:
        if not isinstance(contexts, list | tuple):
            return contexts
        from .column_table import is_no_context  # stores are shown without it

        return [text for text in contexts if not (isinstance(text, str) and is_no_context(text))]

    @field_validator("group", mode="before")
    @classmethod
    def _without_missing_group(cls, group: Any) -> Any:
        from .column_table import is_missing

        return None if isinstance(group, str) and is_missing(group) else group

    @field_validator("id", "user_input", "response", "reference", "retrieved_contexts")
    @classmethod
    def _whole_characters(cls, held: str | tuple[str, ...] | None) -> str | tuple[str, ...] | None:
        for text in (held,) if isinstance(held, str) else held or ():
            check_characters(text)
        return held

    @model_validator(mode="after")
    def _on_scale(self) -> "Sample":
        if self.rating_min >= self.rating_max:
            raise PydanticCustomError(
                "off_scale",
                "{field}: {low} is not below rating_max ({high}); give a scale such as 1 and 5",
                {"field": "rating_min", "low": f"{self.rating_min:g}", "high": f"{self.rating_max:g}"},
            )
        ratings = [("rating", self.rating)]
        ratings += [(f"ratings.{rater}", rating) for rater, rating in self.ratings.items()]
        for turn, message in enumerate(self.messages):
            own = {"rating": message.rating} | {f"ratings.{rater}": one for rater, one in message.ratings.items()}
            ratings += [(f"messages.{turn}.{name}", rating) for name, rating in own.items()]
        for field, rating in ratings:
            if rating is not None and not self.rating_min <= rating <= self.rating_max:
                scale = f"{self.rating_min:g}-{self.rating_max:g}"
                raise PydanticCustomError(
                    "off_scale",
                    "{field}: {rating} is outside the scale {scale}; correct it, or say the scale: --scale "
                    "LOW-HIGH, or columns rating_min and rating_max",
                    {"field": field, "rating": f"{rating:g}", "scale": scale},
                )
        return self

    @property
    def policy(self) -> str:
        """The company's policy: the first system message of the conversation; empty where there is none."""
        return next((message.text for message in self.messages if message.role == "system"), "")

    @property
    def turn(self) -> int | None:
        """The place of the answer under test among the messages, counted from 0; None for a sample without messages."""
        from .thread import turn_under_test

        return turn_under_test(self.messages, self.response) if self.messages else None

    @property
    def human_rating(self) -> float | None:
        """The rating, else the mean of the raters' ratings, else None; on the scale rating_min..rating_max."""
        if self.rating is None and self.ratings:
            return sum(self.ratings.values()) / len(self.ratings)
        return self.rating

    @property
    def rating_share(self) -> float | None:
        """`human_rating` as a share of its scale, in [0, 1]: comparable between sets with different scales."""
        rating = self.human_rating
        return None if rating is None else self.share_of_scale(rating)

    def share_of_scale(self, rating: float) -> float:
        """A rating as a share of the scale, in [0, 1]."""
        return (rating - self.rating_min) / (self.rating_max - self.rating_min)

    def as_row(self, mode: Literal["json", "python"] = "json") -> dict[str, Any]:
        """The fields as a row of a set: those that say something, and of a rated sample its scale.

        In a set some rows may be on 1-5 and others on 0-1: a row that leaves its scale out gets one that all such rows
        decide together.

        Example:
            >>> Sample(id="1", user_input="Free?", response="Yes.", rating=2).as_row()
            {'id': '1', 'user_input': 'Free?', 'response': 'Yes.', 'rating': 2.0, 'rating_min': 1, 'rating_max': 5}
        """
        row = self.model_dump(mode=mode, exclude_defaults=True)
        if self.human_rating is not None or any(message.human_rating is not None for message in self.messages):
            row |= {"rating_min": self.rating_min, "rating_max": self.rating_max}
        return row

    def has_same_texts(self, other: "Sample") -> bool:
        """Whether another sample has the same answer, and in a conversation the same messages."""
        return self._texts == other._texts

    @property
    def fingerprint(self) -> str:
        """What is equal for the same texts and calls in the same messages, whatever the id: 32 digits of a SHA-256.

        The last turn of a longer conversation is another one than the whole, though it has the same messages.

        Example:
            >>> one, other = (Sample(id=name, user_input="Free?", response="Yes.") for name in "ab")
            >>> one.fingerprint == other.fingerprint
            True
        """
        answers = sum(message.is_reply for message in self.messages)
        is_part = answers > 1 and is_turn_id(self.id, self.metadata)
        return hashlib.sha256(to_json((self.user_input, self._texts, is_part))).hexdigest()[:32]

    @property
    def _texts(self) -> tuple[object, ...]:
        return self.response, [(message.role, message.text, message.tool_calls) for message in self.messages]

    @property
    def source(self) -> str:
        """What this sample resamples with: its group, else `metadata.group`, else only itself (its id)."""
        return str(self.group or self.metadata.get("group") or self.id)


def _has_history(values: dict[str, Any]) -> bool:
    metadata = values.get("metadata")
    return isinstance(metadata, dict) and bool(metadata.get("history"))
