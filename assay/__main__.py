"""`python -m assay`, and the command `assay`."""

import os
import sys

from . import cli
from .interruption import INTERRUPTED, end_at_once, raise_error


def main() -> None:
    """Runs the command line as a process, which ends at once even where a worker thread still computes."""
    try:
        _run()
    except SystemExit as end:
        workers = sys.modules.get(f"{__package__}.worker_threads")
        if workers is not None and workers.is_computing():
            # Python would tear down what the thread uses; spaCy's linear algebra then aborts the process (SIGABRT)
            for stream in (sys.stdout, sys.stderr):
                if not stream.closed:
                    stream.flush()
            os._exit(end.code if isinstance(end.code, int) else int(bool(end.code)))
        raise


def _run() -> None:
    try:
        raise_error()
        cli.main()
    except KeyboardInterrupt:  # the second Ctrl-C, while the command ends because of the first
        sys.exit(INTERRUPTED)
    finally:
        end_at_once()


if __name__ == "__main__":
    main()
