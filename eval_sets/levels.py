"""The two levels at which answers are measured: one answer, and a whole conversation."""

from typing import Literal, get_args

Level = Literal["answer", "conversation"]
"""What a metric is a measure of."""
RatedLevel = Literal["conversation", "turn"]
"""What is rated, where samples are conversations."""
Turns = Literal["last", "each", "none"]
"""On which turns of a conversation metrics of an answer run."""
TURNS: tuple[str, ...] = get_args(Turns)
