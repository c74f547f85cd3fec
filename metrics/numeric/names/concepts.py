"""What the concepts of series mean, in any language: which add up, which count people, which way is better."""

from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict

from ....languages import read_yaml


class Ways(BaseModel):
    """The concepts that get better when they go up, and those that get better when they go down."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    up: frozenset[str]
    down: frozenset[str]


class Concepts(BaseModel):
    """`concepts.yaml`.

    Attributes:
        agents: What people are counted in where they only come, who then also do what other series count.
        people: What counts people, who also do what other series count.
        levels: What stands at a value, and never adds up.
        flows: Amounts per period, which add up.
        better: Which way a series is better.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agents: frozenset[str]
    people: frozenset[str]
    levels: frozenset[str]
    flows: frozenset[str]
    better: Ways


@cache
def concepts() -> Concepts:
    """What is known of the concepts."""
    return read_yaml(resources.files(__package__).joinpath("concepts.yaml"), Concepts)
