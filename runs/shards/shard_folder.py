"""Where results are: one Parquet file per shard, on this machine or wherever fsspec reaches."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any

from ...atomic_files import replace_file
from ...errors import InputError, UsageError
from ...installation import require_extra
from ...judges import Cassette
from ...judges.recording import parse_line
from .result_index import write_index
from .shard_plan import ShardPlan
from .shard_table import attach_summary, read_summary, summarise_result

if TYPE_CHECKING:
    import pyarrow

_PARTIAL = ".partial"
_MANIFEST = "shards.json"
_INDEX = ".index"
_PLAN = "plan.json"


class ShardFolder:
    """The results of one plan: `NAME.parquet` per shard, where NAME is a hash of the shard's content keys.

    A file appears whole or not at all. `NAME.partial` holds what was scored and asked of a shard whose scoring
    ended early. `shards.json` names the shards of the last run that ended, so that those of files that changed since
    do not count twice. `NAME.index` has what is small of all of them, so that a run of many shards is shown quickly.

    Raises:
        UsageError: The place cannot be reached.
    """

    def __init__(self, url: str) -> None:
        with require_extra("shards", f"{url}: results as Parquet"):
            import fsspec
            import pyarrow.parquet  # noqa: F401
        self.url = url.rstrip("/") if "://" in url else str(Path(url).expanduser().absolute())
        try:
            self.files, self._path = fsspec.url_to_fs(self.url)
        except (OSError, ImportError, ValueError) as error:
            raise UsageError(f"{url}: the folder of results cannot be reached: {error}") from error
        self._is_local = "://" not in self.url or self.url.startswith(("file://", "local://"))

    @classmethod
    def of_plan(cls, out: str | Path, plan: ShardPlan) -> "ShardFolder":
        """Opens the folder of a plan's results in the folder that the user named.

        Raises:
            UsageError: The place cannot be reached.
        """
        return cls(f"{cls(str(out)).url}/{plan.identity}")

    def begin(self, plan: ShardPlan, shard_rows: int) -> int:
        """Makes the folder with its plan, or opens the one that is there.

        Returns:
            The rows per shard: those that the first run chose, for other shards would have other names.

        Raises:
            UsageError: The folder cannot be written to.
        """
        try:
            if self.has_plan():
                return int(json.loads(self.files.cat_file(self._file(_PLAN)))["shard_rows"])
            self.files.makedirs(self._path, exist_ok=True)
            recordable = plan.model_copy(update={"judge": plan.judge and plan.judge.recordable})
            content = {"shard_rows": shard_rows, "plan": recordable.model_dump(mode="json")}
            self._write(_PLAN, json.dumps(content, indent=1).encode())
        except (OSError, InputError) as error:
            raise UsageError(f"{self.url}: results cannot be written there: {error}; name another --out") from error
        return shard_rows

    def summary(self, name: str) -> dict[str, Any] | None:
        """Returns the summary of a shard's result; None where there is no result."""
        from pyarrow import parquet

        if not self.files.exists(self._file(f"{name}.parquet")):
            return None
        with self.files.open(self._file(f"{name}.parquet"), "rb") as file:
            return read_summary(parquet.read_schema(file))

    def read(self, name: str) -> "pyarrow.Table | None":
        """Returns the result of a shard, else what is there of it, else None."""
        from pyarrow import parquet

        for file_name in (f"{name}.parquet", f"{name}{_PARTIAL}"):
            if self.files.exists(self._file(file_name)):
                with self.files.open(self._file(file_name), "rb") as file:
                    return parquet.read_table(file)
        return None

    def write(self, name: str, result: "pyarrow.Table", metrics: Sequence[str]) -> dict[str, Any]:
        """Writes the result of a shard with its summary, which it returns."""
        summary = summarise_result(result, metrics)
        self._write_table(f"{name}.parquet", attach_summary(result, summary))
        if self.files.exists(self._file(f"{name}{_PARTIAL}")):
            self.files.rm_file(self._file(f"{name}{_PARTIAL}"))
        return summary

    def write_partial(self, name: str, result: "pyarrow.Table") -> None:
        """Writes what there is of a shard's result, unless there is a whole one, which has more."""
        if not self.files.exists(self._file(f"{name}.parquet")):
            self._write_table(f"{name}{_PARTIAL}", result)

    def is_empty(self, metrics: Sequence[str]) -> bool:
        """Whether no shard is whole, and no part of one has a reply or a value of one of these metrics."""
        from pyarrow import parquet

        if self.files.glob(f"{self._path}/*.parquet"):
            return False
        for path in self.files.glob(f"{self._path}/*{_PARTIAL}"):
            with self.files.open(path, "rb") as file:
                part = parquet.read_table(file, columns=["replies", *metrics])
            if any(part["replies"].to_pylist()) or any(part[metric].null_count < len(part) for metric in metrics):
                return False
        return True

    def write_manifest(self, names: Iterable[str]) -> None:
        """Records which shards count from now on."""
        self._write(_MANIFEST, json.dumps(list(names)).encode())

    def result_names(self) -> list[str]:
        """Returns the shards that count: those of the manifest, and all where there is none yet.

        Raises:
            InputError: The folder is gone.
        """
        if self.files.exists(self._file(_MANIFEST)):
            names: list[str] = json.loads(self.files.cat_file(self._file(_MANIFEST)))
            return names
        if not self.files.exists(self._path):
            raise InputError(f"{self.url}: the folder of results is gone; restore it, or name another run")
        paths = (Path(str(path)) for path in self.files.ls(self._path, detail=False))
        return sorted(path.stem for path in paths if path.suffix == ".parquet")

    def result_files(self, names: Iterable[str]) -> list[str]:
        """Returns the addresses of the results of some shards."""
        return [f"{self.url}/{name}.parquet" for name in names]

    def write_index(self, metrics: Sequence[str]) -> None:
        """Writes the index of the results that count, unless it is there; those of other results go."""
        names = self.result_names()
        index = _index_name(names)
        if not names or self.files.exists(self._file(index)):
            return
        paths = [self._file(f"{name}.parquet") for name in names]
        with self._open_whole(index) as file:
            write_index(self.files, paths, metrics, file)
        for path in self.files.glob(f"{self._path}/*{_INDEX}"):
            if Path(str(path)).name != index:
                self.files.rm_file(path)

    def index_file(self, names: Sequence[str]) -> str | None:
        """Returns the address of the index of the results of these shards; None where there is none."""
        index = _index_name(names)
        return f"{self.url}/{index}" if self.files.exists(self._file(index)) else None

    def has_plan(self) -> bool:
        """Whether this is the folder of a plan's results."""
        return bool(self.files.exists(self._file(_PLAN)))

    def subfolders(self) -> "list[ShardFolder]":
        """Returns the folders in this one."""
        names = sorted(Path(str(path).rstrip("/")).name for path in self.files.ls(self._path, detail=False))
        return [ShardFolder(f"{self.url}/{name}") for name in names]

    def replies(self) -> Iterator[tuple[str, bytes]]:
        """Yields (key, line of a cassette) of each reply in the results, also in those that count no more; once."""
        from pyarrow import parquet

        seen: set[str] = set()
        for path in sorted(
            [*self.files.glob(f"{self._path}/*.parquet"), *self.files.glob(f"{self._path}/*{_PARTIAL}")]
        ):
            with self.files.open(path, "rb") as file:
                column = parquet.read_table(file, columns=["replies"])["replies"]
            for reply in (reply for row in column.to_pylist() for reply in row or ()):
                if reply["key"] not in seen:
                    seen.add(reply["key"])
                    yield reply["key"], reply["line"]

    def _file(self, name: str) -> str:
        return f"{self._path}/{name}"

    def _write_table(self, name: str, table: "pyarrow.Table") -> None:
        from pyarrow import parquet

        buffer = io.BytesIO()
        parquet.write_table(table, buffer, compression="zstd")
        self._write(name, buffer.getvalue())

    def _write(self, name: str, content: bytes) -> None:
        with self._open_whole(name) as file:
            file.write(content)

    @contextmanager
    def _open_whole(self, name: str) -> Iterator[IO[Any]]:
        """Opens a file that appears whole: on a disk by renaming a draft; object stores put an object in one step."""
        path = self._file(name)
        if self._is_local:
            with replace_file(Path(path), binary=True) as file:
                yield file
            return
        with TemporaryDirectory() as folder:
            draft = Path(folder) / "draft"
            with draft.open("wb") as file:
                yield file
            self.files.put_file(str(draft), path)


def _index_name(names: Sequence[str]) -> str:
    """The index of the results of these shards, so that one of other results is never taken for it."""
    return f"{hashlib.sha256(','.join(names).encode()).hexdigest()[:32]}{_INDEX}"


def shard_name(keys: Iterable[str]) -> str:
    """Returns the name of a shard with these content keys, in their order."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()[:32]


def write_replies(results: str | Path, cassette: Path) -> None:
    """Writes the replies of all shards into a cassette, each once.

    Raises:
        InputError: There are no results, or the cassette cannot be written.
    """
    folder = ShardFolder(str(results))
    folders = [folder] if folder.has_plan() else [one for one in folder.subfolders() if one.has_plan()]
    if not folders:
        raise InputError(f"{folder.url}: there are no results of `assay run --engine` here; name their folder")
    with Cassette(cassette, "record") as recorded:
        for one in folders:
            for _, line in one.replies():
                recorded.put(parse_line(line))
