"""A command whose reader goes away, as `| head -1` does."""

import os
import subprocess
import sys
from pathlib import Path


def run_without_reader(*typed: object, cwd: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Runs `assay` with these words; its standard output is a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    code = "import os, sys; os.dup2(int(sys.argv.pop()), 1); from assay.cli import main; main()"
    command = [sys.executable, "-c", code, *map(str, typed), str(write)]
    done = subprocess.run(command, cwd=cwd, pass_fds=[write], stderr=subprocess.PIPE, check=False)
    os.close(write)
    return done
