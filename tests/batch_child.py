"""A process that runs `assay` and can be killed: forked from one that has loaded litellm, so that it begins at once."""

import os
import sys
from importlib import import_module
from pathlib import Path

from assay.judges.litellm_lookup import load_litellm

# When this module is preloaded: once for all children, what a run loads late.
load_litellm()
LOADED_LATE = ("anyio", "filelock", "h2", "httpcore", "openai.resources", "scipy.stats", "sentencex")
for module in ("assay.cli", "assay.runs", *LOADED_LATE):
    import_module(module)


def run_assay(words: list[str], folder: str, environment: dict[str, str]) -> None:
    """Types `assay ...` in a folder; what it prints is in `out.txt` there."""
    os.chdir(folder)
    os.environ.update(environment)
    with Path("out.txt").open("w", encoding="utf-8") as out:
        sys.stdout = sys.stderr = out
        sys.argv = ["assay", *words]
        from assay.cli import main

        main()
