"""Cassettes together and apart: merged, split, and told apart."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from .cassette import Cassette
from .recording import Recording, digest

Prefer = Literal["first", "last"]
By = Literal["model", "prompt", "set"]

_NOT_A_NAME = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True)
class CassetteDiff:
    """What two cassettes do not share: recordings of one only, and questions with another reply in each."""

    only_a: tuple[Recording, ...]
    only_b: tuple[Recording, ...]
    other_reply: tuple[tuple[Recording, Recording], ...]
    same: int


def merge(paths: Iterable[Path], out: Path, prefer: Prefer | None = None) -> int:
    """Brings the recordings of several cassettes into `out`, atomically, and returns how many it then has.

    What `out` holds already stays. Raises `UsageError` where two have another reply to one question and `prefer` does
    not say whose stands.
    """
    sources = [path for path in (out,) if path.exists()]
    sources += [path for path in paths if path.resolve() != out.resolve()]
    found: dict[str, Recording] = {}
    for source in sources:
        for recording in Cassette(source, "replay").recordings():
            kept = found.get(recording.key)
            if kept is not None and not _same(kept, recording):
                if prefer is None:
                    raise UsageError(
                        f"{source}: the reply to {recording.prompt}, sample {recording.sample or 'not named'} (key "
                        f"{recording.key[:12]}) is another one than in a cassette before it; say whose stands: "
                        "--prefer first or --prefer last"
                    )
                if prefer == "first":
                    continue
            found[recording.key] = recording
    _write(found.values(), out)
    return len(found)


def split(path: Path, by: By, folder: Path, set_of: Callable[[str], str] | None = None) -> dict[Path, int]:
    """Writes the recordings of a cassette into one a model, prompt or set, and returns how many each got.

    `set_of` names a sample's set. The cassette itself stays as it is. Raises `UsageError` where a file is there
    already.
    """
    parts: dict[str, list[Recording]] = {}
    for recording in Cassette(path, "replay").recordings():
        if by == "model":
            value = recording.reply.model
        elif by == "prompt":
            value = recording.prompt.split("@")[0]
        else:
            value = set_of(recording.sample) if set_of else ""
        parts.setdefault(value, []).append(recording)
    names = _file_names(parts, path)
    for name in names.values():
        if (folder / name).exists():
            raise UsageError(f"{folder / name}: is there already; move it away, or name another folder with --out")
    for value, recordings in parts.items():
        _write(recordings, folder / names[value])
    return {folder / names[value]: len(recordings) for value, recordings in parts.items()}


def _file_names(values: Iterable[str], path: Path) -> dict[str, str]:
    """A file name a value, that stays in its folder whatever the value is, and is no other value's."""
    names: dict[str, str] = {}
    for value in values:
        plain = _NOT_A_NAME.sub("-", value).strip(".-")[:80] or "none"
        if any(name == f"{path.stem}.{plain}{path.suffix}" for name in names.values()):
            plain += f"-{digest(value)[:6]}"
        names[value] = f"{path.stem}.{plain}{path.suffix}"
    return names


def difference(a: Path, b: Path) -> CassetteDiff:
    """What differs between two cassettes, by key."""
    in_a = {recording.key: recording for recording in Cassette(a, "replay").recordings()}
    in_b = {recording.key: recording for recording in Cassette(b, "replay").recordings()}
    shared = [(in_a[key], in_b[key]) for key in in_a if key in in_b]
    return CassetteDiff(
        only_a=tuple(recording for key, recording in in_a.items() if key not in in_b),
        only_b=tuple(recording for key, recording in in_b.items() if key not in in_a),
        other_reply=tuple(pair for pair in shared if not _same(*pair)),
        same=sum(_same(*pair) for pair in shared),
    )


def _same(one: Recording, other: Recording) -> bool:
    """Whether two replies say the same; what they took is no matter."""
    pair = [(each.reply.text, each.reply.finish_reason, each.reply.logprobs) for each in (one, other)]
    return pair[0] == pair[1]


def _write(recordings: Iterable[Recording], out: Path) -> None:
    with Cassette(out, "record") as cassette:
        for recording in recordings:
            cassette.put(recording)
