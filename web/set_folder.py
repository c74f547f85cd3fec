"""The evaluation sets that answers may be added to: JSONL files under one folder, chosen by a key, never by a path."""

import hashlib
import json
import threading
from pathlib import Path

from ..errors import InputError, UsageError
from ..eval_sets import Sample, read_set

NEW_SET = "picked.jsonl"
_MOST_SETS = 200
_DEEPEST = 3  # folders below the root


class SetFolder:
    """Sets under a folder.

    A request names a set by its key, which is looked up among the sets that are there; no text of a request becomes a
    path. Links that lead out of the folder are left out.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._writing = threading.Lock()

    def names(self) -> dict[str, str]:
        """The sets by key, as paths below the folder; `picked.jsonl` can be chosen before it exists."""
        names = {NEW_SET}
        for depth in range(_DEEPEST):
            for path in sorted(self._root.glob("*/" * depth + "*.jsonl")):
                relative = path.relative_to(self._root)
                is_hidden = any(part.startswith(".") for part in relative.parts)
                if len(names) < _MOST_SETS and not is_hidden and self._is_inside(path) and _is_set(path):
                    names.add(str(relative))
        return {_key(name): name for name in sorted(names)}

    def add(self, key: str, sample: Sample) -> tuple[str, bool]:
        """Adds an answer at the end of a set; returns the set's name, and whether the answer is new in it."""
        name = self.names().get(key)
        if name is None:
            raise UsageError("this set is no longer in the folder; load the page again")
        path = self._root / name
        row = sample.model_dump(mode="json", exclude_defaults=True) | {
            "user_input": sample.user_input,
            "response": sample.response,
        }
        try:
            with self._writing:
                if path.exists() and path.stat().st_size:
                    for known in read_set(str(path)):
                        if known.id == sample.id:
                            if not known.is_same_answer(sample):
                                raise UsageError(f"{name} has another answer with the id {sample.id!r}")
                            return name, False
                with path.open("a+b") as file:
                    file.seek(0, 2)
                    if file.tell():
                        file.seek(-1, 2)
                        begin = b"" if file.read(1) == b"\n" else b"\n"
                    else:
                        begin = b""
                    file.write(begin + json.dumps(row, ensure_ascii=False).encode() + b"\n")
        except OSError as error:
            raise InputError(f"{name}: the answer cannot be added ({error.strerror})") from error
        return name, True

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._root)


def _is_set(path: Path) -> bool:
    """Whether the first line of a file is a sample."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(1_000_000) or b"{}")
    except (OSError, ValueError):
        return False
    return isinstance(first, dict) and ({"user_input", "response"} <= first.keys() or "messages" in first)


def _key(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]
