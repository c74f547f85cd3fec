"""A process of its own that reads documents, so that a document that hangs or crashes it harms no other."""

import subprocess
import sys
import threading
from queue import Empty, SimpleQueue
from types import TracebackType

from pydantic import ValidationError

from ...errors import InputError, UsageError
from ...text.wording import count_of
from ..section import Section
from .document_reader import DocumentSource
from .reader_worker import READY, ReaderReply

_PROGRAM = f"{__package__}.reader_worker"


class ReaderProcess:
    """Reads documents one at a time in another process, which is started when it is needed and again after a failure.

    A context manager: leaving it ends the process.
    """

    process: "subprocess.Popen[str] | None" = None
    """The process; None before the first document and after a failure."""

    def __init__(self, time_limit: float) -> None:
        """Args: time_limit: The most seconds for one document, without the start of the process."""
        self._time_limit = time_limit
        self._replies = SimpleQueue[str]()

    def read(self, source: DocumentSource) -> list[Section]:
        """Reads one document."""
        process = self.process or self._start()
        assert process.stdin is not None
        try:
            process.stdin.write(source.model_dump_json() + "\n")
            process.stdin.flush()
            line = self._replies.get(timeout=self._time_limit)
            reply = ReaderReply.model_validate_json(line)
        except Empty:
            self.close()
            raise InputError(
                f"{source.path}: reading it takes longer than {count_of(self._time_limit, 'second')}; split the "
                "document, or "
                "raise the limit (--time-limit)"
            ) from None
        except (OSError, ValidationError) as error:
            code = process.wait()
            self.close()
            raise InputError(
                f"{source.path}: the process that read it ended ({_ending(code)}); the document may be damaged or too "
                "large for this machine's memory"
            ) from error
        if reply.usage_error:
            raise UsageError(reply.usage_error)
        if reply.error:
            raise InputError(reply.error)
        return reply.sections

    def close(self) -> None:
        """Ends the process; the next document starts another."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def __enter__(self) -> "ReaderProcess":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> "subprocess.Popen[str]":
        process = self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", _PROGRAM],  # -P: files in the current folder are not taken for libraries
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._replies = SimpleQueue[str]()
        threading.Thread(target=_forward, args=(process, self._replies), daemon=True).start()
        if self._replies.get() != READY:
            raise RuntimeError(f"{_PROGRAM} does not start; run it to see why: {sys.executable} -m {_PROGRAM}")
        return process


def _forward(process: "subprocess.Popen[str]", replies: "SimpleQueue[str]") -> None:
    """Puts each line of the process into a queue, which can be waited for with a limit; "" at the end."""
    assert process.stdout is not None
    while line := process.stdout.readline():
        replies.put(line)
    replies.put("")


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"
