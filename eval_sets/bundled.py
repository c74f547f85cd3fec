"""The evaluation sets that come with the package."""

from importlib.resources import files
from importlib.resources.abc import Traversable

_SUFFIX = ".jsonl"


def bundled_sets() -> tuple[str, ...]:
    """Lists the names of the bundled sets, which `load_set` takes."""
    names = (entry.name.removesuffix(_SUFFIX) for entry in _folder().iterdir() if entry.name.endswith(_SUFFIX))
    return tuple(sorted(name for name in names if "." not in name))  # `leaflets.folds` is what `leaflets` was made from


def bundled_file(name: str) -> Traversable:
    """Returns the JSON Lines file of a bundled set."""
    return _folder() / f"{name}{_SUFFIX}"


def _folder() -> Traversable:
    return files(__package__)
