"""What to tell a person whose question has no recording: the nearest one, what differs, and how to record it."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz

from .cassette import Cassette
from .question import Question, RawReply
from .recording import Recording, make_recording
from .settings import JudgeSettings

_MOST_COMPARED = 500


class MissExplainer:
    """Explains misses of one cassette for one judge; the cassette is read once, at the first."""

    def __init__(self, cassette: Cassette, settings: JudgeSettings) -> None:
        self._cassette = cassette
        self._settings = settings

    def explain(self, question: Question[Any]) -> str:
        """One paragraph: prompt, sample, the nearest recording and what differs, how it would be recorded."""
        settings = self._settings
        wanted = make_recording("", question, settings.parameters, RawReply(model=settings.identity, text=""))
        where = f"no recording in {self._cassette.path} for prompt {wanted.prompt}"
        where += f", sample {wanted.sample}" if wanted.sample else ""
        nearest = max(self._candidates(wanted), key=lambda recording: _likeness(recording, wanted), default=None)
        if nearest is None:
            found = "the cassette is empty"
        else:
            found = f"the nearest recording ({nearest.prompt}, sample {nearest.sample or 'not named'}) differs in "
            found += "; ".join(_differences(nearest, wanted)) or _NOT_RECORDED
        return f"{where}; {found}. To record it: the same command with --mode auto (a model is then asked)"

    def _candidates(self, wanted: Recording) -> list[Recording]:
        """Recordings of the same prompt with the same text, else of the same sample, else some, else of any prompt."""
        same_prompt = self._by_prompt.get(_name(wanted), [])
        for alike in (
            [recording for recording in same_prompt if recording.user == wanted.user],
            [recording for recording in same_prompt if recording.sample == wanted.sample],
            same_prompt,
        ):
            if alike:
                return alike[:_MOST_COMPARED]
        return [recording for recordings in self._by_prompt.values() for recording in recordings][:_MOST_COMPARED]

    @cached_property
    def _by_prompt(self) -> dict[str, list[Recording]]:
        found: dict[str, list[Recording]] = {}
        for recording in self._cassette.recordings():
            slim = replace(recording, reply=RawReply(model=recording.reply.model, text=""))
            found.setdefault(_name(recording), []).append(slim)
        return found


_NOT_RECORDED = (
    "what a recording does not show: max_tokens, structured, logprobs, the options or the schema's definition"
)


def _name(recording: Recording) -> str:
    return recording.prompt.split("@")[0]


def _likeness(recording: Recording, wanted: Recording) -> float:
    return (
        8 * (_name(recording) == _name(wanted))
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


def _plain(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(parameters.items()))
