"""Recorded replies: one JSON line per reply, sorted by key, so that a set is judged again without a model.

A question's key is a hash of all that determines its reply. A new reply is appended to the file at once; whoever ends
recording sorts the file. One that a kill left unsorted is read as any other: of two replies with one key the later one
stands.
"""

import glob
import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from io import FileIO
from itertools import accumulate, pairwise
from operator import lt
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python
from rapidfuzz import fuzz

from ..atomic_files import check_space, remove_drafts, replace_file
from ..errors import InputError, UsageError
from ..regular_files import check_regular, kind_of_no_file
from ..value_messages import check_path, describe_first_mistake
from .entailment import pinned_revision
from .question import MOST_USD, Alternatives, Question, RawReply, strict_schema
from .secrets import recordable_parameters
from .settings import JudgeSettings

if TYPE_CHECKING:
    from hashlib import _Hash

Mode = Literal["replay", "record", "auto", "off"]
_BUNDLED = "bundled:"  # before the name of a cassette that comes with Assay
_READS: Collection[Mode] = ("replay", "auto")
_RECORDS: Collection[Mode] = ("record", "auto")
_KEY = re.compile(rb'{"key": "([0-9a-f]{32})"')
_BLOCK = 1 << 20  # bytes that are read at once
_LEAST_PROBABILITY = 0.001  # alternatives less likely than this are not kept
_TAKEN = ("tokens_in", "tokens_out", "tokens_cached", "usd", "seconds")  # fields of a reply
_Count = Annotated[int, Field(ge=0, le=10**9)]
_Amount = Annotated[float, Field(ge=0, le=MOST_USD, allow_inf_nan=False)]
_EXCERPT_LENGTH = 160  # characters, of the last 300 with all their white space


class QuestionKeys:
    """Computes the keys of one judge's questions.

    A key covers the model, its parameters, how a shape is asked for, the schema, the options, whether the alternatives
    are asked for, and every message. What is the same for all samples is hashed once.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._hashes: dict[tuple[object, ...], _Hash] = {}  # of what is the same for all samples

    def compute(self, question: Question[Any]) -> str:
        """Returns the key of a question: the first 32 hexadecimal digits of a SHA-256."""
        shape = (question.schema, question.options, question.logprobs, question.max_tokens, question.protocol)
        constant = (question.prompt.identity, *shape)
        if constant not in self._hashes:
            self._hashes[constant] = hashlib.sha256(self._constant_part(question))
        key = self._hashes[constant].copy()
        asked = question.user if question.body is None else question.asked
        key.update(asked.encode("utf-8", "surrogatepass"))
        for message in question.follow_up:
            key.update(f"\x1e{message['role']}\x1f{message['content']}".encode("utf-8", "surrogatepass"))
        return key.hexdigest()[:32]

    def _constant_part(self, question: Question[Any]) -> bytes:
        schema: Any = question.schema
        parts = {
            "model": self._settings.identity,
            "parameters": self._settings.parameters,
            "max_tokens": question.max_tokens or self._settings.max_tokens,
            "structured": self._settings.structured,
            "schema": strict_schema(schema),
            "options": question.options,
            "logprobs": question.logprobs and self._settings.logprobs,
            "opening": question.prompt.opening,
        }
        if question.protocol != "chat":
            parts["protocol"] = question.protocol
        if question.protocol == "entail":
            settings = self._settings
            parts["model"] = [settings.identity, pinned_revision(settings.model, settings.revision)]
            parts["reads"] = [settings.template, settings.yes, settings.window, settings.overlap]
        return json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str).encode() + b"\x1e"


@dataclass(slots=True, unsafe_hash=True)  # not frozen, which takes three times as long to make
class Recording:
    """A reply as it is kept in a cassette or a run."""

    key: str  # 32 hexadecimal digits that stand for all that determines the reply
    prompt: str  # the identity of the question's prompt: `NAME.LANGUAGE@HASH`, several joined by `+` for a composed one
    sample: str  # the id of the sample that the question was asked for
    parameters: Mapping[str, Any]  # those of the model's parameters that may be written, for finding out what differs
    schema: str
    user: str  # the hash of the question's user part, for finding out what differs
    about: str  # the end of the question's user part, for people
    reply: RawReply


def make_recording(key: str, question: Question[Any], parameters: Mapping[str, Any], reply: RawReply) -> Recording:
    """Returns the recording of a reply to a question."""
    follow_up = [message["content"] for message in question.follow_up]
    last_words = (follow_up or [question.asked])[-1][-300:].split()
    return Recording(
        key=key,
        prompt=question.prompt.identity,
        sample=question.sample,
        parameters=to_jsonable_python(recordable_parameters(parameters), fallback=str),
        schema=question.schema.__name__,
        user=short_hash("\x1e".join([question.asked, *follow_up])),
        about=" ".join(last_words)[-_EXCERPT_LENGTH:],
        reply=reply,
    )


def short_hash(text: str) -> str:
    """Returns 12 hexadecimal digits that stand for a text.

    Example:
        >>> short_hash("How do I save?")
        '28f98ce74429'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def format_line(recording: Recording) -> bytes:
    """Returns a recording as a line of a cassette: JSON in UTF-8 that begins with the key, and a line end."""
    reply = recording.reply
    entry: dict[str, Any] = {
        "key": recording.key,
        "model": reply.model,
        "prompt": recording.prompt,
        "sample": recording.sample,
        "parameters": dict(sorted(recording.parameters.items())),
        "schema": recording.schema,
        "user": recording.user,
        "about": recording.about,
        "text": reply.text,
        "text_crc32": zlib.crc32(reply.text.encode("utf-8", "surrogatepass")),  # shows a change by hand, no forgery
        "finish_reason": reply.finish_reason,
    }
    entry |= {name: getattr(reply, name) for name in _TAKEN} | {"seconds": round(reply.seconds, 3)}
    if reply.is_unstated:
        entry["is_unstated"] = True
    if reply.logprobs is not None:
        entry["logprobs"] = [likely_alternatives(place) for place in reply.logprobs]
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def likely_alternatives(place: Alternatives) -> dict[str, float]:
    """Returns what is kept of the alternatives at one place of a reply.

    Returns:
        The chosen token and those with a probability of at least 0.001, rounded to 4 decimals.

    Example:
        >>> likely_alternatives({"Yes": -0.012345, "No": -4.4, "Maybe": -9.0})
        {'Yes': -0.0123, 'No': -4.4}
    """
    chosen = next(iter(place))
    least = math.log(_LEAST_PROBABILITY)
    return {token: round(logprob, 4) for token, logprob in place.items() if token == chosen or logprob >= least}


@dataclass(slots=True)
class _Entry:
    """What a line of a cassette holds; further fields are left unread."""

    __pydantic_config__: ClassVar = ConfigDict(strict=True)

    key: str
    model: str
    prompt: str
    sample: str
    parameters: dict[str, Any]
    schema: str
    user: str
    about: str
    text: str
    finish_reason: str
    tokens_in: _Count
    tokens_out: _Count
    tokens_cached: _Count
    usd: _Amount | None
    seconds: _Amount
    text_crc32: int | None = None  # older recordings have none
    is_unstated: bool = False
    # an impossible log probability voids the reply when that is read, as it does live
    logprobs: tuple[Annotated[dict[str, float], Field(min_length=1)], ...] | None = None


@cache
def _entries() -> TypeAdapter[_Entry]:
    return TypeAdapter(_Entry)


def parse_line(line: bytes) -> Recording:
    """Returns the recording that a line of a cassette holds.

    Raises:
        ValueError: The line is not JSON, a field is missing or not what it should be, or the text is another than the
            one that was recorded.
    """
    validator = _entries().validator
    try:
        entry: _Entry = validator.validate_json(line)
    except ValidationError:  # it takes no half characters (surrogates), which a reply's text can hold
        whole = line.decode("utf-8", "surrogatepass")
        entry = validator.validate_json(whole.encode("utf-8", "replace"))
        entry.text = json.loads(whole)["text"]
    if entry.tokens_cached > entry.tokens_in:
        raise ValueError(f"tokens_cached: {entry.tokens_cached:,} of {entry.tokens_in:,} tokens")
    if entry.text_crc32 is not None and entry.text_crc32 != zlib.crc32(entry.text.encode("utf-8", "surrogatepass")):
        raise ValueError("its text was changed")
    taken = entry.tokens_in, entry.tokens_out, entry.tokens_cached, entry.usd, entry.seconds
    reply = RawReply(entry.model, entry.text, entry.finish_reason, entry.logprobs, *taken, entry.is_unstated)
    question = entry.key, entry.prompt, entry.sample, entry.parameters, entry.schema, entry.user, entry.about
    return Recording(*question, reply)


class RecordedLines:
    """The lines of a file by the keys that they begin with; of two with one key the later one.

    Of each line only its key and its place are kept in memory. A last line that a kill cut off is left out: its reply
    was never returned.
    """

    def __init__(self, path: Path) -> None:
        self.is_sorted = True  # each key once, and no line is cut off
        self._places: dict[bytes, tuple[int, int]] = {}  # by key, where its line begins and ends
        self._reading = Lock()  # a position in a file belongs to one thread at a time
        check_regular(path)
        try:
            self._file = path.open("rb") if path.exists() else None
        except OSError as error:
            raise InputError(f"{path}: the cassette cannot be read: {error}; name a file that can be") from error
        end, count, last = 0, 0, b""
        while self._file is not None and (lines := self._file.readlines(_BLOCK)):
            if not (lines[-1].endswith(b"\n") or _is_whole(lines[-1])):
                self.is_sorted = False
                lines.pop()
            for number, match in enumerate(map(_KEY.match, lines), start=1):
                if match is None:
                    raise InputError(
                        f'{path}, line {count + number}: not a recording: a line begins with {{"key": " and 32 '
                        f"hexadecimal digits; this has {lines[number - 1][:60]!r}; remove that line"
                    )
            keys = [line[9:41] for line in lines]
            ends = [*accumulate(map(len, lines), initial=end)]
            self._places |= zip(keys, pairwise(ends), strict=True)
            self.is_sorted = self.is_sorted and all(map(lt, [last, *keys], keys))
            end, count, last = ends[-1], count + len(lines), [last, *keys][-1]

    def __iter__(self) -> Iterator[bytes]:
        """Every line, sorted by key, with a line end."""
        return (self._line(*self._places[key]) for key in sorted(self._places))

    def find(self, key: str) -> bytes | None:
        """Returns the line with this key, or None."""
        place = self._places.get(key.encode())
        return None if place is None else self._line(*place)

    def line_number(self, key: str) -> int | None:
        """Returns which line of the file has this key, or None."""
        place = self._places.get(key.encode())
        if place is None or self._file is None:
            return None
        with self._reading:
            self._file.seek(0)
            return self._file.read(place[0]).count(b"\n") + 1

    def _line(self, start: int, end: int) -> bytes:
        assert self._file is not None, "a file without lines has no places"
        with self._reading:
            self._file.seek(start)
            line = self._file.read(end - start)
        return line if line[-1:] == b"\n" else line + b"\n"

    def close(self) -> None:
        """Closes the file; its lines can no longer be read."""
        if self._file is not None:
            self._file.close()


def _is_whole(line: bytes) -> bool:
    """Whether a last line without a line end is a whole recording, and no beginning of one."""
    try:
        json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


def append_line(path: Path, line: bytes) -> None:
    """Appends a line to a cassette; a kill after this returns does not lose it, and one meanwhile no other line.

    Raises:
        OSError: It cannot be written; the file is as it was.
    """
    with writing_alone(path), path.open("r+b", buffering=0) as file:
        end = _end_last_line(file)
        try:
            unwritten = memoryview(line)
            while unwritten:
                unwritten = unwritten[file.write(unwritten) :]
        except OSError:
            file.truncate(end)
            raise


def _end_last_line(file: FileIO) -> int:
    """Gives the last line its end, or takes it out where a kill cut it off; returns where the file ends."""
    end = file.seek(0, os.SEEK_END)
    if not end:
        return 0
    file.seek(end - 1)
    if file.read(1) == b"\n":
        return end
    file.seek(0)
    content = file.readall()
    start = content.rfind(b"\n") + 1
    if _is_whole(content[start:]):
        file.write(b"\n")
    else:
        file.truncate(start)
    return file.seek(0, os.SEEK_END)


@contextmanager
def writing_alone(path: Path) -> Iterator[None]:
    """Lets no other process write to a cassette meanwhile; makes the file where there is none.

    Raises:
        OSError: The file cannot be written.
    """
    try:
        import fcntl
    except ImportError:  # on Windows
        with locked(path):
            path.touch()
            yield
        return
    while True:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield
                return  # else another process replaced it while this one waited


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds a lock for a path that other processes respect; its file (`PATH.lock`) is gone afterwards.

    Raises:
        filelock.Timeout: The lock is held elsewhere and `wait` is False.
        OSError: The lock's file cannot be written.
    """
    from filelock import FileLock  # takes as long to import as this whole package

    file = path.with_name(f"{path.name}.lock")
    with FileLock(file, timeout=-1 if wait else 0, thread_local=False):
        try:
            yield
        finally:
            if os.name != "nt":  # Windows removes no open file; there filelock does so after the release
                file.unlink(missing_ok=True)


def is_bundled(path: str | Path) -> bool:
    """Returns whether a cassette is named as a bundled one.

    Example:
        >>> is_bundled("bundled:helpdesk.qwen1.5b"), is_bundled("replies.jsonl")
        (True, False)
    """
    return str(path).startswith(_BUNDLED)


def bundled_cassette(name: str | Path) -> Path:
    """Returns the file of a bundled cassette."""
    folder = Path(str(resources.files("assay.cassettes")))
    stem = str(name).removeprefix(_BUNDLED).removesuffix(".jsonl")
    known = sorted(file.name.removesuffix(".jsonl") for file in folder.glob("*.jsonl"))
    if stem not in known:
        raise InputError(f"{name}: no such cassette is bundled; the bundled ones are {', '.join(known)}")
    return folder / f"{stem}.jsonl"


def cassette_file(path: str | Path) -> Path:
    """Returns the file of a cassette, of its path or its bundled name; of a link the file that it names."""
    if is_bundled(path):
        return bundled_cassette(path)
    try:
        is_link = Path(path).is_symlink() and not kind_of_no_file(Path(path))
        return Path(path).resolve() if is_link else Path(path)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{path}: the link leads nowhere: {error}; name the file itself") from error


class Cassette:
    """A file of recorded replies.

    A new reply is appended at once; `close` sorts the file. Any number of processes may record into one cassette.

    Args:
        path: The file, by convention `NAME.jsonl`; or `bundled:NAME`, which is only replayed, also in the mode `auto`.
        mode: `replay` answers from the file only; `auto` answers from the file and records what is missing; `record`
            records everything anew; `off` neither reads nor writes.

    Raises:
        UsageError: The mode is unknown, or a bundled cassette is to be recorded.
        InputError: There is no such cassette to replay, or the file is not a cassette.

    Example:
        >>> import tempfile
        >>> from assay.judges import RawReply
        >>> path = Path(tempfile.mkdtemp(), "replies.jsonl")
        >>> with Cassette(path, "record") as cassette:
        ...     cassette.put(Recording("0" * 32, "p.en@1", "s1", {}, "Choice", "", "", RawReply("openai/m", "Yes")))
        >>> with Cassette(path, "replay") as cassette:
        ...     cassette.get("0" * 32).reply.text
        'Yes'
    """

    def __init__(self, path: str | Path, mode: Mode = "replay") -> None:
        check_path("path", path)
        if mode not in get_args(Mode):
            raise UsageError(f"unknown cassette mode {mode!r}; the modes are {', '.join(get_args(Mode))}")
        self.name = str(path)  # as messages call it: without the folder that Assay is installed in
        if is_bundled(path):
            if mode == "record":
                raise UsageError(f"{path}: a bundled cassette is only replayed; record into a file of your own")
            mode = "replay" if mode == "auto" else mode
        self.path = cassette_file(path)
        self.mode: Mode = mode
        if mode != "off" and (left := [*self.path.parent.glob(f"{glob.escape(self.path.name)}.*.recording")]):
            raise InputError(
                f"{left[0]}: holds replies that an earlier version of Assay recorded when it was killed; append its "
                f"lines to {self.path}, and remove it"
            )
        if mode == "replay" and not self.path.exists():
            raise InputError(f"{self.name}: no such cassette; record it with --mode record, or name another one")
        self._recorded: dict[str, bytes] = {}  # what this object recorded, by key
        self._can_record = False  # whether that was found out
        self._lines: RecordedLines | None = RecordedLines(self.path)

    def get(self, key: str) -> Recording | None:
        """Returns the recording that may be replayed for a key in this mode, or None.

        In a mode that records, it is then found out whether a reply can be kept: whoever asks a model next knows.

        Raises:
            InputError: The recording cannot be read, or no reply can be recorded.
        """
        line = self._recorded.get(key)
        if line is None and self.mode in _READS:
            line = (self._lines or self._opened_lines()).find(key)
        if line is not None:
            try:
                return parse_line(line)
            except ValueError as error:
                raise self._unreadable(line, error) from error
        if self.mode in _RECORDS and not self._can_record:
            with self._told_cannot_record():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                check_space(self.path.parent)
                with writing_alone(self.path):
                    self._can_record = True
        return None

    def put(self, recording: Recording) -> None:
        """Records a reply; a kill after this returns does not lose it. Does nothing in a mode that does not record.

        Raises:
            InputError: The reply cannot be written.
        """
        if self.mode not in _RECORDS:
            return
        line = format_line(recording)
        with self._told_cannot_record():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            append_line(self.path, line)
        self._recorded[recording.key] = line

    def recordings(self) -> Iterator[Recording]:
        """Yields every recording, sorted by key."""
        if self._recorded:  # they are in the file, which is read anew
            self._close_lines()
        for line in self._opened_lines():
            try:
                yield parse_line(line)
            except ValueError as error:
                raise self._unreadable(line, error) from error

    def close(self) -> None:
        """Sorts the file, in one step.

        Raises:
            InputError: The file cannot be written; it stays as it is, with all replies.
        """
        is_sorted = self._lines is None or self._lines.is_sorted
        self._close_lines()
        if self.mode in _RECORDS and (self._recorded or self._can_record or not is_sorted):
            try:
                self._sort()
            except (OSError, InputError) as error:
                raise InputError(
                    f"{error}. No reply is lost: all are in {self.path}, which the next command that records sorts"
                ) from error

    def __enter__(self) -> "Cassette":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _opened_lines(self) -> RecordedLines:
        if self._lines is None:  # a judge may be used again after it was closed
            self._lines = RecordedLines(self.path)
        return self._lines

    def _close_lines(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _sort(self) -> None:
        with writing_alone(self.path), closing(RecordedLines(self.path)) as lines:
            remove_drafts(self.path)
            if not self.path.stat().st_size:
                self.path.unlink()  # nothing was recorded
            elif not lines.is_sorted:
                with replace_file(self.path, binary=True) as draft:
                    draft.writelines(lines)
                    lines.close()  # Windows replaces no open file

    @contextmanager
    def _told_cannot_record(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self.path}: replies cannot be recorded: {error.strerror or error}; make room, check that the folder "
                "can be written to, or name another cassette"
            ) from error

    def place_of(self, key: str) -> str:
        """Says where the recording of a key stands."""
        number = None if key in self._recorded else self._opened_lines().line_number(key)
        return f"{self.path}, line {number}" if number else f"{self.path}, a new line"

    def _unreadable(self, line: bytes, error: ValueError) -> InputError:
        place = self.place_of(line[9:41].decode())
        cure = "remove that line and record it again"
        problem = describe_first_mistake(error, cure) if isinstance(error, ValidationError) else f"{error}; {cure}"
        return InputError(f"{place}: the recording {line[:50].decode(errors='replace')}... cannot be read: {problem}")


def explain_miss(cassette: Cassette, recordings: Collection[Recording], missing: Recording) -> str:
    """Says that a cassette lacks a reply: the prompt, the sample, the nearest recording, what differs, and a cure.

    Args:
        cassette: The cassette.
        recordings: All that is in it.
        missing: What a recording of the reply would be.
    """
    place = f"no recording in {cassette.name} for prompt {missing.prompt}"
    place += f", sample {missing.sample}" if missing.sample else ""
    nearest = max(recordings, key=lambda recording: _likeness(recording, missing), default=None)
    if nearest is None:
        reason = "the cassette is empty"
    else:
        names = "prompt", "sample", "user"
        is_same = all(getattr(nearest, name) == getattr(missing, name) for name in names)
        which = "" if is_same else f" ({nearest.prompt}, sample {nearest.sample or 'not named'})"
        reason = f"the nearest recording{which} differs in "
        reason += "; ".join(_differences(nearest, missing)) or _NOT_RECORDED
    record = (
        'the same command with --mode auto (in Python mode="auto", in a suite `mode: auto` under `cassette:`, in '
        "pytest --assay-mode auto): a model is then asked"
    )
    return f"{place}; {reason}. To record it: {record}"


_NOT_RECORDED = (
    "what a recording does not show: max_tokens, structured, logprobs, the options or the schema's definition"
)


def _likeness(recording: Recording, missing: Recording) -> tuple[float, ...]:
    """What a recording shares with the missing one, what matters most first; at last the ends of their texts."""
    return (
        recording.prompt.split("@")[0] == missing.prompt.split("@")[0],
        recording.user == missing.user,
        recording.sample == missing.sample,
        recording.reply.model == missing.reply.model,
        fuzz.ratio(recording.about, missing.about),
    )


def _differences(recording: Recording, missing: Recording) -> list[str]:
    settings = [
        ", ".join(f"{name}={value}" for name, value in sorted(each.parameters.items())) for each in (recording, missing)
    ]
    pairs = [
        ("model", recording.reply.model, missing.reply.model),
        ("prompt", recording.prompt, missing.prompt),
        ("schema", recording.schema, missing.schema),
        ("parameters", *settings),
        ("text", f"…{recording.about}", f"…{missing.about}"),
    ]
    differences = [f"{name} (recorded {theirs!r}, asked {ours!r})" for name, theirs, ours in pairs if theirs != ours]
    if recording.user != missing.user and recording.about == missing.about:
        differences.append("text (before its last words)")
    return differences
