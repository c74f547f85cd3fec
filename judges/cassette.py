"""Recorded replies: one JSON line per reply, sorted by key, so that a set is judged again without a model."""

import heapq
from collections.abc import Collection, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from ..arguments import check_path
from ..atomic_files import remove_drafts, replace_file
from ..errors import InputError, UsageError
from ..regular_files import kind_of_no_file
from .journal import Journal, abandoned_journals, find_journals, locked, read_journal
from .recording import Recording, format_line, parse_line
from .sorted_lines import SortedLines, line_key

Mode = Literal["replay", "record", "auto", "off"]
_BUNDLED = "bundled:"  # before the name of a cassette that comes with Assay
_READS: Collection[Mode] = ("replay", "auto")
_RECORDS: Collection[Mode] = ("record", "auto")


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
        self._is_bundled = is_bundled(path)
        if self._is_bundled:
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

    def drop(self, keys: Collection[str]) -> None:
        """Removes recordings from the file, atomically, after merging what killed processes left.

        Raises:
            UsageError: The cassette is a bundled one.
        """
        if self._is_bundled:
            raise UsageError(
                f"{self.name}: a bundled cassette is only replayed; copy it with `assay cassettes merge` first"
            )
        self._merge(keys)
        for key in keys:
            self._unmerged.pop(key, None)

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

    def _merge(self, dropped: Collection[str] = ()) -> None:
        """Rewrites the file with the abandoned journals' lines and without those that are dropped."""
        with locked(self.path), abandoned_journals(self.path) as journals:
            remove_drafts(self.path)
            unmerged = {key: line for journal in journals for key, line in read_journal(journal).items()}
            self._close_lines()  # another process may have merged since; and Windows replaces no open file
            lines = self._sorted_lines()
            if dropped or any(lines.find(key) != line for key, line in unmerged.items()):
                with replace_file(self.path, binary=True) as draft:
                    draft.writelines(_merged_lines(lines, unmerged, dropped))
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


def _merged_lines(lines: SortedLines, unmerged: Mapping[str, bytes], dropped: Collection[str] = ()) -> Iterator[bytes]:
    """The lines of a file and those to be merged into it, sorted by key; of two with one key, the unmerged one."""
    lines_to_keep = (line for line in lines if (key := line_key(line)) not in unmerged and key not in dropped)
    added = sorted(line for key, line in unmerged.items() if key not in dropped)
    return heapq.merge(lines_to_keep, added)  # lines are sorted as their keys are, for they begin with them
