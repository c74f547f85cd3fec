"""A choice between options as a team writes it: a question, and options with a value and a description, in YAML."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ..languages.yaml_file import read_yaml
from .rubric_file import Label, SampleField, Text, different_labels


class Option(BaseModel):
    """One option."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    # the score of an answer for which it is chosen, -1,000,000,000 to 1,000,000,000
    value: float = Field(ge=-1e9, le=1e9, allow_inf_nan=False)
    description: Text


class OptionChoice(BaseModel):
    """A question with its options.

    Example:
        >>> options = {"you": {"value": 1, "description": "says you"}, "thou": {"value": 0, "description": "says thou"}}
        >>> OptionChoice(question="How is the customer addressed?", options=options).range
        (0.0, 1.0)
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: Text
    # the sample's fields that the judge sees, and that a sample must have
    fields: tuple[SampleField, ...] = Field(default=("user_input", "response"), min_length=1)
    # 2 to 255 options by their labels
    options: Annotated[dict[Label, Option], AfterValidator(different_labels)] = Field(min_length=2, max_length=255)

    @property
    def range(self) -> tuple[float, float]:
        """The lowest and highest value of an option."""
        values = [option.value for option in self.options.values()]
        return min(values), max(values)


def read_choice(file: str | Path) -> OptionChoice:
    """Reads a choice from a YAML file."""
    return read_yaml(Path(file).expanduser(), OptionChoice)
