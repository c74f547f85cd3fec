"""Recorded replies: one JSON line per reply, sorted by key, so that a set is judged again without a model.

A question's key is a hash of all that determines its reply. New replies stand in a journal beside the file, one per
process that records (`NAME.PID-RANDOM.recording`), until they are merged into it. The process holds the journal's lock
(`....recording.lock`): one whose lock is free was left by a process that was killed, and the next merge takes it over.
"""

import glob
import hashlib
import heapq
import json
import math
import os
import re
import secrets
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import resources
from itertools import accumulate
from operator import ge
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, get_args

from pydantic_core import from_json, to_jsonable_python
from rapidfuzz import fuzz

from ..atomic_files import check_space, remove_drafts, replace_file
from ..errors import InputError, UsageError
from ..regular_files import check_regular, kind_of_no_file
from ..value_messages import check_path
from .entailment import pinned_revision
from .question import Alternatives, Question, RawReply, strict_schema
from .secrets import recordable_parameters
from .settings import JudgeSettings

if TYPE_CHECKING:
    from hashlib import _Hash

Mode = Literal["replay", "record", "auto", "off"]
_BUNDLED = "bundled:"  # before the name of a cassette that comes with Assay
_READS: Collection[Mode] = ("replay", "auto")
_RECORDS: Collection[Mode] = ("record", "auto")
_KEY = re.compile(rb'{"key": "([0-9a-f]{32})"')
_BLOCK = 1 << 20  # bytes that are read at once while a file is indexed
_LEAST_PROBABILITY = 0.001  # alternatives less likely than this are not kept
_OF_QUESTION = ("key", "prompt", "sample", "parameters", "schema", "user", "about")
_TAKEN = ("tokens_in", "tokens_out", "tokens_cached", "usd", "seconds")  # fields of a reply
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


def parse_line(line: bytes) -> Recording:
    """Returns the recording that a line of a cassette holds.

    Raises:
        ValueError: The line is not JSON.
        KeyError: A field is missing.
        TypeError: A field is not what it should be.
    """
    try:
        entry = from_json(line)  # twice as fast as json
    except ValueError:  # it takes no half characters (surrogates), which a reply's text can hold
        entry = json.loads(line.decode("utf-8", "surrogatepass"))
    logprobs = entry.get("logprobs")
    alternatives = None if logprobs is None else tuple(logprobs)
    said = {name: entry[name] for name in ("model", "text", "finish_reason", *_TAKEN)}
    reply = RawReply(logprobs=alternatives, is_unstated=entry.get("is_unstated", False), **said)
    return Recording(reply=reply, **{name: entry[name] for name in _OF_QUESTION})


def line_key(line: bytes) -> str:
    """Returns the key that a line begins with: 32 hexadecimal digits.

    Example:
        >>> line_key(b'{"key": "0123456789abcdef0123456789abcdef", "text": "Yes"}')
        '0123456789abcdef0123456789abcdef'
    """
    match = _KEY.match(line)
    if not match:
        raise ValueError(f'a line begins with {{"key": " and 32 hexadecimal digits; this has {line[:60]!r}')
    return match[1].decode("ascii")


class SortedLines:
    """A file of lines that begin with their key and are sorted by it, each key once.

    Of each line only 16 bytes are kept in memory: the first 64 bits of its key and where it ends.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._heads = array("Q")
        self._ends = array("Q", [0])  # of each line, after the beginning of the first
        self._reading = Lock()  # a position in a file belongs to one thread at a time
        check_regular(path)
        try:
            self._file = path.open("rb") if path.exists() else None
        except OSError as error:
            raise InputError(f"{path}: the cassette cannot be read: {error}; name a file that can be") from error
        self._index()

    def _index(self) -> None:
        last = b""
        while self._file is not None and (lines := self._file.readlines(_BLOCK)):
            keys = [last, *[line[9:41] for line in lines]]
            if not all(map(_KEY.match, lines)) or any(map(ge, keys, keys[1:])):
                raise self._complaint(lines, last)
            self._heads.extend([int(key[:16], 16) for key in keys[1:]])
            ends = accumulate(map(len, lines), initial=self._ends.pop())
            self._ends.extend(ends)
            last = keys[-1]

    def _complaint(self, lines: list[bytes], last: bytes) -> InputError:
        """The error of a block of lines, of which one is no recording or out of order."""
        for number, line in enumerate(lines, start=len(self._heads) + 1):
            place = f"{self._path}, line {number}"
            try:
                key = line_key(line).encode()
            except ValueError as error:
                return InputError(f"{place}: not a recording: {error}")
            if key <= last:
                break
            last = key
        return InputError(
            f"{place}: key {key.decode()} does not come after {last.decode()}; the lines are sorted by key, each key "
            "once: sort the file (LC_ALL=C sort -u)"
        )

    def __iter__(self) -> Iterator[bytes]:
        """Every line, in order, with a line end."""
        return map(self._line, range(len(self._heads)))

    def find(self, key: str) -> bytes | None:
        """Returns the line with this key, or None."""
        head, beginning = int(key[:16], 16), f'{{"key": "{key}"'.encode()
        for place in range(bisect_left(self._heads, head), len(self._heads)):
            if self._heads[place] != head:
                break
            line = self._line(place)
            if line.startswith(beginning):
                return line
        return None

    def _line(self, place: int) -> bytes:
        assert self._file is not None, "a file without lines has no places"
        with self._reading:
            self._file.seek(self._ends[place])
            line = self._file.read(self._ends[place + 1] - self._ends[place])
        return line if line.endswith(b"\n") else line + b"\n"

    def close(self) -> None:
        """Closes the file; its lines can no longer be read."""
        if self._file is not None:
            self._file.close()


class Journal:
    """The journal of this process for one cassette.

    Raises:
        OSError: The journal cannot be created, or the disk is full.
    """

    def __init__(self, cassette: Path) -> None:
        cassette.parent.mkdir(parents=True, exist_ok=True)
        check_space(cassette.parent)
        path = cassette.with_name(f"{cassette.name}.{os.getpid()}-{secrets.token_hex(4)}.recording")
        with ExitStack() as opening:
            opening.enter_context(locked(path))  # first: a journal without a lock would be taken over
            self._file = opening.enter_context(path.open("xb", buffering=0))
            self._opened = opening.pop_all()

    def append(self, line: bytes) -> None:
        """Writes a line; a kill after this returns does not lose it."""
        unwritten = memoryview(line)
        while unwritten:
            unwritten = unwritten[self._file.write(unwritten) :]

    def close(self) -> None:
        """Ends the recording and leaves the journal to the next merge."""
        self._opened.close()


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


def find_journals(cassette: Path) -> list[Path]:
    """Returns the journals beside a cassette, those of living processes included."""
    return list(cassette.parent.glob(f"{glob.escape(cassette.name)}.*.recording"))


@contextmanager
def abandoned_journals(cassette: Path) -> Iterator[list[Path]]:
    """Locks the journals that no living process records into, and yields them, the oldest first."""
    from filelock import Timeout

    with ExitStack() as locks:
        abandoned = []
        lock_files = cassette.parent.glob(f"{glob.escape(cassette.name)}.*.recording.lock")  # all that a kill may leave
        for journal in {*find_journals(cassette), *(file.with_suffix("") for file in lock_files)}:
            try:
                locks.enter_context(locked(journal, wait=False))
            except Timeout:
                continue
            if journal.exists():
                abandoned.append(journal)
        yield sorted(abandoned, key=lambda journal: journal.stat().st_mtime_ns)


def read_journal(journal: Path) -> dict[str, bytes]:
    """Returns the lines of a journal by key, without a last one that a kill cut off: its reply was never returned.

    A journal that does not exist (any more) has no lines: another process has just merged it.
    """
    try:
        lines = journal.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return {}
    if lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    entries = {}
    for number, line in enumerate(lines, start=1):
        try:
            entries[line_key(line)] = line
        except ValueError as error:
            raise InputError(f"{journal}, line {number}: not a recording: {error}; remove that line") from error
    return entries


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

    A new reply goes at once into a journal beside the file. `close` merges the journal into the sorted file, and with
    it those that killed processes left. Any number of processes may record into one cassette at once.

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
        if mode == "replay" and not self.path.exists() and not find_journals(self.path):
            raise InputError(f"{self.name}: no such cassette; record it with --mode record, or name another one")
        self._journal: Journal | None = None
        self._unmerged: dict[str, bytes] = {}  # lines by key: of other processes' journals, and those recorded here
        if mode in _READS:
            for journal in find_journals(self.path):  # before the file: what is merged meanwhile is then in it
                self._unmerged |= read_journal(journal)
        self._lines: SortedLines | None = SortedLines(self.path)

    def get(self, key: str) -> Recording | None:
        """Returns the recording that may be replayed for a key in this mode, or None.

        In a mode that records, the journal is opened when there is none: whoever asks a model next has then been told
        whether its reply can be kept.

        Raises:
            InputError: The recording cannot be read, or no reply can be recorded.
        """
        line = self._unmerged.get(key)
        if line is None and self.mode in _READS:
            line = self._sorted_lines().find(key)
        if line is None:
            self._open_journal()
            return None
        return self._parse(line)

    def put(self, recording: Recording) -> None:
        """Records a reply; a kill after this returns does not lose it. Does nothing in a mode that does not record.

        Raises:
            InputError: The reply cannot be written.
        """
        journal = self._open_journal()
        if journal is None:
            return
        line = format_line(recording)
        try:
            journal.append(line)
        except OSError as error:
            self._close_journal()  # it may end in a torn line: the next reply begins another journal
            raise self._cannot_record(error) from error
        self._unmerged[recording.key] = line

    def recordings(self) -> Iterator[Recording]:
        """Yields every recording, sorted by key, those not merged yet included."""
        for line in _merged_lines(self._sorted_lines(), self._unmerged):
            yield self._parse(line)

    def close(self) -> None:
        """Merges into the file, atomically, what was recorded here and what killed processes left.

        Raises:
            InputError: The file cannot be written; the journals stay, and the next command that records merges them.
        """
        self._close_journal()
        try:
            if self.mode in _RECORDS and find_journals(self.path):
                self._merge()
        except (OSError, InputError) as error:
            raise InputError(
                f"{error}. The new replies are not lost: they are in {self.path}.*.recording, and the next command "
                "that records into this cassette merges them"
            ) from error
        finally:
            self._close_lines()

    def __enter__(self) -> "Cassette":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open_journal(self) -> Journal | None:
        """The journal of this object; None in a mode that does not record."""
        if self._journal is None and self.mode in _RECORDS:
            try:
                self._journal = Journal(self.path)
            except OSError as error:
                raise self._cannot_record(error) from error
        return self._journal

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def _sorted_lines(self) -> SortedLines:
        if self._lines is None:  # a judge may be used again after it was closed
            self._lines = SortedLines(self.path)
        return self._lines

    def _close_lines(self) -> None:
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def _merge(self) -> None:
        """Rewrites the file with the abandoned journals' lines."""
        with locked(self.path), abandoned_journals(self.path) as journals:
            remove_drafts(self.path)
            unmerged = {key: line for journal in journals for key, line in read_journal(journal).items()}
            self._close_lines()  # another process may have merged since; and Windows replaces no open file
            lines = self._sorted_lines()
            if any(lines.find(key) != line for key, line in unmerged.items()):
                with replace_file(self.path, binary=True) as draft:
                    draft.writelines(_merged_lines(lines, unmerged))
                    self._close_lines()
            for journal in journals:
                journal.unlink()

    def _cannot_record(self, error: OSError) -> InputError:
        return InputError(
            f"{self.path}: replies cannot be recorded: {error.strerror or error}; make room, check that the folder can "
            "be written to, or name another cassette"
        )

    def _parse(self, line: bytes) -> Recording:
        try:
            return parse_line(line)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            numbers = (number for number, other in enumerate(self._sorted_lines(), start=1) if other == line)
            number = next(numbers, None)
            place = f"{self.path}, line {number}" if number else f"{self.path}, a line that is not merged yet"
            raise InputError(
                f"{place}: the recording {line[:50].decode(errors='replace')}... cannot be read ({error!r}); remove "
                "that line and record it again"
            ) from error


def _merged_lines(lines: SortedLines, unmerged: Mapping[str, bytes]) -> Iterator[bytes]:
    """The lines of a file and those to be merged into it, sorted by key; of two with one key, the unmerged one."""
    lines_to_keep = (line for line in lines if line_key(line) not in unmerged)
    # lines are sorted as their keys are, for they begin with them
    return heapq.merge(lines_to_keep, sorted(unmerged.values()))


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
        reason = f"the nearest recording ({nearest.prompt}, sample {nearest.sample or 'not named'}) differs in "
        reason += "; ".join(_differences(nearest, missing)) or _NOT_RECORDED
    record = (
        "the same command with --mode auto (in a suite `mode: auto` under `cassette:`, in pytest --assay-mode auto)"
        ": a model is then asked"
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
