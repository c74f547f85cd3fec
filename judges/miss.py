"""What to tell a person whose question has no recording: the nearest one, what differs, and how to record it."""

import json
from typing import Any

from rapidfuzz import fuzz

from .cassette import Cassette
from .question import Question, RawReply
from .recording import Recording, record
from .settings import JudgeSettings


def explain_miss(cassette: Cassette, question: Question[Any], settings: JudgeSettings) -> str:
    """One paragraph: prompt, sample, the nearest recording and what differs, the command that would record it."""
    wanted = record("", question, settings.parameters, RawReply(model=settings.identity, text=""))
    where = f"no recording in {cassette.path} for prompt {wanted.prompt}"
    where += f", sample {wanted.sample}" if wanted.sample else ""
    nearest = max(cassette.recordings(), key=lambda recording: _likeness(recording, wanted), default=None)
    if nearest is None:
        found = "the cassette is empty"
    else:
        found = f"the nearest recording ({nearest.prompt}, sample {nearest.sample or 'not named'}) differs in "
        found += "; ".join(_differences(nearest, wanted)) or "its schema's definition"
    return f"{where}; {found}. To record it: the same command with --mode auto (a model is then asked)"


def _likeness(recording: Recording, wanted: Recording) -> float:
    name, wanted_name = recording.prompt.split("@")[0], wanted.prompt.split("@")[0]
    return (
        8 * (name == wanted_name)
        + 4 * (recording.user == wanted.user)
        + 2 * (recording.sample == wanted.sample)
        + (recording.reply.model == wanted.reply.model)
        + fuzz.ratio(recording.about, wanted.about) / 100
    )


def _differences(recording: Recording, wanted: Recording) -> list[str]:
    pairs = [
        ("model", recording.reply.model, wanted.reply.model),
        ("prompt", recording.prompt, wanted.prompt),
        ("schema", recording.schema, wanted.schema),
        ("parameters", _plain(recording.parameters), _plain(wanted.parameters)),
        ("text", f"…{recording.about}", f"…{wanted.about}"),
    ]
    told = [f"{what} (recorded {there!r}, asked {here!r})" for what, there, here in pairs if there != here]
    if recording.user != wanted.user and recording.about == wanted.about:
        told.append("text (before its last words)")
    return told


def _plain(parameters: str) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(json.loads(parameters).items()))
