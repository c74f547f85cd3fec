"""The fixed split of a public set: whole groups by a hash, so that what was tuned on one half is told on the other."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Literal

from ..sample import Sample

Part = Literal["dev", "test"]
PARTS: tuple[Part, ...] = ("dev", "test")


def part_of(group: str) -> Part:
    """Names the half that a group belongs to.

    The first byte of the SHA-256 of the group's name decides: below 128 is `dev`, else `test`. It depends on nothing
    else, so that a set that grows keeps its split.

    Examples:
        >>> part_of("mtrag:2"), part_of("mtrag:3")
        ('dev', 'test')
    """
    return "dev" if sha256(group.encode()).digest()[0] < 128 else "test"


def first_by_hash(samples: Iterable[Sample], n: int) -> list[Sample]:
    """Takes the first samples in the order of the SHA-256 of their ids: the same ones on every machine.

    Examples:
        >>> samples = [Sample(id=name, user_input="Free?", response="Yes.") for name in "abc"]
        >>> [sample.id for sample in first_by_hash(samples, 2)]
        ['c', 'b']
    """
    return sorted(samples, key=lambda sample: sha256(sample.id.encode()).digest())[:n]
