"""The evaluation sets that come with the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable

_SUFFIX = ".jsonl"


def bundled_sets() -> tuple[str, ...]:
    """The names of the bundled sets, each good as the source of `load_set`."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def bundled_file(name: str) -> Traversable:
    """The JSON Lines file of a bundled set."""
    return _folder() / f"{name}{_SUFFIX}"


def _folder() -> Traversable:
    return files(__package__)
