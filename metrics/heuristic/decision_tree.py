"""The annotator's decision tree (Lassche et al., 2024, IV-B, Fig. 2) as data: walked on the features, and drawn."""

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...languages.yaml_file import read_yaml


class Node(BaseModel):
    """A question about a feature's value, with the next nodes; or a leaf with an answer and its reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    asks: str = ""
    feature: str = ""
    least: float | None = None
    most: float | None = None
    yes: str = ""
    no: str = ""
    unknown: str = ""
    answer: str = ""
    because: str = ""

    @model_validator(mode="after")
    def _question_or_leaf(self) -> "Node":
        question = all((self.asks, self.feature, self.yes, self.no)) and (self.least is None) != (self.most is None)
        leaf = bool(self.answer and self.because) and not (self.asks or self.feature)
        if question == leaf:
            raise ValueError("a node asks (asks, feature, least or most, yes, no) or answers (answer, because)")
        return self

    def holds(self, value: float) -> bool:
        """Whether a feature's value means yes."""
        return value >= self.least if self.least is not None else value <= (self.most or 0.0)


class Tree(BaseModel):
    """The nodes by name. Raises `pydantic.ValidationError` when a name leads nowhere or in a circle."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    start: str
    nodes: dict[str, Node] = Field(min_length=1)

    @model_validator(mode="after")
    def _leads_to_leaves(self) -> "Tree":
        self._follow(self.start, ())
        return self

    def _follow(self, name: str, above: tuple[str, ...]) -> None:
        if name not in self.nodes:
            raise ValueError(f"no node is called {name!r}")
        if name in above:
            raise ValueError(f"the tree goes in a circle: {' > '.join((*above, name))}")
        node = self.nodes[name]
        for following in filter(None, (node.yes, node.no, node.unknown)):
            self._follow(following, (*above, name))


class TreeStep(NamedTuple):
    """A question on the way: the node, the feature's value, and the reply (`yes`, `no` or `unknown`)."""

    node: str
    asks: str
    value: float | None
    reply: str


class Walk(NamedTuple):
    """The way through the tree to an answer (`true`, `untrue`, ...) and its reason."""

    steps: tuple[TreeStep, ...]
    leaf: str
    answer: str
    because: str


@cache
def annotators_tree() -> Tree:
    """The tree that comes with Assay."""
    return read_yaml(resources.files(__package__).joinpath("decisions/tree.yaml"), Tree)


def walk(tree: Tree, features: Mapping[str, float | None]) -> Walk:
    """Walks the tree with the values of features (by short name); a feature that is absent or None has no value."""
    steps: list[TreeStep] = []
    name = tree.start
    while not (node := tree.nodes[name]).answer:
        value = features.get(node.feature)
        if value is None:
            reply, following = "unknown", node.unknown or node.no
        else:
            reply, following = ("yes", node.yes) if node.holds(value) else ("no", node.no)
        steps.append(TreeStep(name, node.asks, value, reply))
        name = following
    return Walk(tuple(steps), name, node.answer, node.because)
