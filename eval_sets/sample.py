"""The thing under test: one message-answer pair, with what is known about it."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

Cell = int | float | str | bool | None


class Table(BaseModel):
    """Numeric context of a sample: named columns of equal length, with their units.

    Raises `pydantic.ValidationError` when columns differ in length or a unit names no column.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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

    `rating` is a person's judgement on the scale `rating_min`..`rating_max` (1-5 if not said); `ratings` holds
    one a rater. `group` names what samples have in common (their source): they are resampled together.
    Frozen. Raises `pydantic.ValidationError`, which `load_set` turns into an `InputError` with file and line.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str = Field(min_length=1)
    user_input: str
    response: str
    retrieved_contexts: tuple[str, ...] = ()
    reference: str | None = None
    language: str | None = Field(default=None, pattern=r"^[a-z]{2}$", description="ISO 639-1, such as nl")
    tables: tuple[Table, ...] = ()
    rating: float | None = None
    ratings: dict[str, float] = {}
    rating_min: float = 1
    rating_max: float = 5
    message_type: str | None = None
    group: str | None = None
    metadata: dict[str, Any] = {}

    @field_validator("user_input", "response", "reference")
    @classmethod
    def _no_nul(cls, text: str | None) -> str | None:
        if text is not None and "\0" in text:
            raise ValueError("the text holds a NUL byte; remove it, or find out what wrote it")
        return text

    @model_validator(mode="after")
    def _on_scale(self) -> "Sample":
        if self.rating_min >= self.rating_max:
            raise ValueError(f"rating_min ({self.rating_min:g}) is not below rating_max ({self.rating_max:g})")
        for rater, rating in [("rating", self.rating), *self.ratings.items()]:
            if rating is not None and not self.rating_min <= rating <= self.rating_max:
                raise ValueError(
                    f"{rater} is {rating:g}, outside the scale {self.rating_min:g}-{self.rating_max:g}; "
                    "correct it, or give rating_min and rating_max"
                )
        return self

    @property
    def human_rating(self) -> float | None:
        """The rating, else the mean of the raters' ratings, else None; on the scale rating_min..rating_max."""
        if self.rating is None and self.ratings:
            return sum(self.ratings.values()) / len(self.ratings)
        return self.rating

    @property
    def source(self) -> str:
        """What this sample resamples with: its group, else `metadata.group`, else only itself (its id)."""
        return str(self.group or self.metadata.get("group") or self.id)
