"""The program of the reading process: `python -m assay.generation.documents.reader_worker`.

Writes `READY` when it has started. Then it reads one `DocumentSource` as JSON per line of standard input, and writes
one `ReaderReply` as JSON per line of standard output.
"""

import os
import sys
from collections.abc import Callable

from pydantic import BaseModel

from ...errors import InputError, UsageError
from ..section import Section
from .document_reader import DocumentSource, read_document

READY = "ready\n"


class ReaderReply(BaseModel):
    """What became of one document: its sections, or an error."""

    sections: list[Section] = []
    error: str = ""  # why the document cannot be read; "" where it can
    usage_error: str = ""  # what has to be installed to read it; "" where nothing has


def read(source: DocumentSource) -> ReaderReply:
    """Reads one document; whatever its reader raises is the document's error."""
    try:
        return ReaderReply(sections=read_document(source))
    except UsageError as error:
        return ReaderReply(usage_error=str(error))
    except InputError as error:
        return ReaderReply(error=str(error))
    except OSError as error:
        return ReaderReply(error=f"{source.path}: cannot be read ({error.strerror or error})")
    except Exception as error:  # parsers of other projects raise anything on a damaged file
        problem = str(error).partition("\n")[0][:200]
        return ReaderReply(
            error=f"{source.path}: cannot be read; it may be damaged ({type(error).__name__}: {problem}); open it in "
            "its own program and save it again"
        )


def serve(read_line: Callable[[], str], write_line: Callable[[str], None]) -> None:
    """Answers each line with one line, until there are no more."""
    while line := read_line():
        write_line(read(DocumentSource.model_validate_json(line)).model_dump_json() + "\n")


def main() -> None:
    """Serves standard input; what a library prints goes to standard error, away from the replies."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8") as replies:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

        def write_line(line: str) -> None:
            replies.write(line)
            replies.flush()

        write_line(READY)
        with os.fdopen(os.dup(sys.stdin.fileno()), encoding="utf-8") as requests:
            serve(requests.readline, write_line)


if __name__ == "__main__":
    main()
