"""Recordings of which the prompt has changed since."""

from functools import cache
from pathlib import Path

from ...judges import Cassette
from ...judges.cassette import Recording
from ...prompts import bundled_prompts


def recordings_of_changed_prompts(path: Path) -> list[Recording]:
    """Returns the recordings of a cassette that were made with a bundled prompt of which the wording has changed."""
    return [recording for recording in Cassette(path, "replay").recordings() if _has_changed_prompt(recording)]


def _has_changed_prompt(recording: Recording) -> bool:
    """Whether the prompt, or a part of one that was composed of several, is no longer bundled as it was recorded."""
    return "@" in recording.prompt and not _bundled_identities().issuperset(recording.prompt.split("+"))


@cache
def _bundled_identities() -> frozenset[str]:
    return frozenset(prompt.identity for prompt in bundled_prompts())
