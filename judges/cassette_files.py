"""Whole cassettes: merged, split and compared."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from .cassette import Cassette, cassette_file
from .recording import Recording, short_hash

Prefer = Literal["first", "last"]
"""Whose reply stands where two cassettes differ."""
SplitBy = Literal["model", "prompt", "set"]
"""What the recordings of one part of a cassette share."""

_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True)
class CassetteComparison:
    """What two cassettes share and what they do not."""

    only_a: tuple[Recording, ...]  # recordings of the first cassette with a key that the second has not
    only_b: tuple[Recording, ...]  # recordings of the second cassette with a key that the first has not
    # pairs of recordings (of the first, of the second) with one key and different replies
    changed: tuple[tuple[Recording, Recording], ...]
    same: int  # the number of recordings with the same reply in both


def merge_cassettes(paths: Iterable[Path], out: Path, prefer: Prefer | None = None) -> int:
    """Writes the recordings of several cassettes into one, atomically; what it holds already stays."""
    sources = [out] if out.exists() else []
    sources += [path for path in paths if path.resolve() != out.resolve()]
    merged: dict[str, Recording] = {}
    for source in sources:
        for recording in Cassette(source, "replay").recordings():
            earlier = merged.get(recording.key)
            if earlier is not None and not _same_reply(earlier, recording):
                if prefer is None:
                    raise UsageError(
                        f"{source}: the reply to {recording.prompt}, sample {recording.sample or 'not named'} (key "
                        f"{recording.key[:12]}) differs from that in an earlier cassette; choose one with "
                        "--prefer first or --prefer last"
                    )
                if prefer == "first":
                    continue
            merged[recording.key] = recording
    _write(merged.values(), out)
    return len(merged)


def split_cassette(
    path: Path, by: SplitBy, folder: Path, set_of_sample: Callable[[str], str] | None = None
) -> dict[Path, int]:
    """Writes the recordings of a cassette into one cassette per model, prompt or set; the cassette itself stays."""
    parts: dict[str, list[Recording]] = {}
    for recording in Cassette(path, "replay").recordings():
        if by == "model":
            value = recording.reply.model
        elif by == "prompt":
            value = recording.prompt.split("@")[0]
        else:
            value = set_of_sample(recording.sample) if set_of_sample else ""
        parts.setdefault(value, []).append(recording)
    files = {value: folder / name for value, name in _file_names(parts, cassette_file(path)).items()}
    for file in files.values():
        if file.exists():
            raise UsageError(f"{file}: the file exists already; move it away, or name another folder with --out")
    for value, recordings in parts.items():
        _write(recordings, files[value])
    return {files[value]: len(recordings) for value, recordings in parts.items()}


def _file_names(values: Iterable[str], path: Path) -> dict[str, str]:
    """A file name for each value, different for each, that stays in its folder whatever the value is."""
    names: dict[str, str] = {}
    for value in values:
        plain = _NOT_IN_A_FILE_NAME.sub("-", value).strip(".-")[:80] or "none"
        if f"{path.stem}.{plain}{path.suffix}" in names.values():
            plain += f"-{short_hash(value)[:6]}"
        names[value] = f"{path.stem}.{plain}{path.suffix}"
    return names


def compare_cassettes(a: Path, b: Path) -> CassetteComparison:
    """Compares two cassettes key by key; replies are the same when text, ending and probabilities are."""
    in_a = {recording.key: recording for recording in Cassette(a, "replay").recordings()}
    in_b = {recording.key: recording for recording in Cassette(b, "replay").recordings()}
    changed = [(in_a[key], in_b[key]) for key in in_a.keys() & in_b.keys() if not _same_reply(in_a[key], in_b[key])]
    return CassetteComparison(
        only_a=tuple(recording for key, recording in in_a.items() if key not in in_b),
        only_b=tuple(recording for key, recording in in_b.items() if key not in in_a),
        changed=tuple(sorted(changed, key=lambda pair: pair[0].key)),
        same=len(in_a.keys() & in_b.keys()) - len(changed),
    )


def _same_reply(one: Recording, other: Recording) -> bool:
    """Whether two replies say the same; tokens, cost and seconds do not matter."""
    a, b = one.reply, other.reply
    return (a.text, a.finish_reason, a.logprobs) == (b.text, b.finish_reason, b.logprobs)


def _write(recordings: Iterable[Recording], out: Path) -> None:
    with Cassette(out, "record") as cassette:
        for recording in recordings:
            cassette.put(recording)
