"""What a cassette says to a question that it has no recording of: the nearest one, what differs, how to record it."""

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
    """Explains the misses of one cassette; it is read whole at the first miss."""

    def __init__(self, cassette: Cassette, settings: JudgeSettings) -> None:
        self._cassette = cassette
        self._settings = settings

    def explain(self, question: Question[Any]) -> str:
        """Returns one paragraph: the prompt, the sample, the nearest recording, what differs, and how to record it."""
        settings = self._settings
        missing = make_recording("", question, settings.parameters, RawReply(model=settings.identity, text=""))
        place = f"no recording in {self._cassette.name} for prompt {missing.prompt}"
        place += f", sample {missing.sample}" if missing.sample else ""
        nearest = max(self._candidates(missing), key=lambda recording: _similarity(recording, missing), default=None)
        if nearest is None:
            reason = "the cassette is empty"
        else:
            reason = f"the nearest recording ({nearest.prompt}, sample {nearest.sample or 'not named'}) differs in "
            reason += "; ".join(_differences(nearest, missing)) or _NOT_RECORDED
        record = "the same command with --mode auto (in pytest --assay-mode auto): a model is then asked"
        return f"{place}; {reason}. To record it: {record}"

    def _candidates(self, missing: Recording) -> list[Recording]:
        """Recordings of the same prompt with the same text, else of the same sample, else some, else of any prompt."""
        same_prompt = self._by_prompt.get(_prompt_name(missing), [])
        for candidates in (
            [recording for recording in same_prompt if recording.user == missing.user],
            [recording for recording in same_prompt if recording.sample == missing.sample],
            same_prompt,
        ):
            if candidates:
                return candidates[:_MOST_COMPARED]
        return [recording for recordings in self._by_prompt.values() for recording in recordings][:_MOST_COMPARED]

    @cached_property
    def _by_prompt(self) -> dict[str, list[Recording]]:
        recordings: dict[str, list[Recording]] = {}
        for recording in self._cassette.recordings():
            without_text = replace(recording, reply=RawReply(model=recording.reply.model, text=""))
            recordings.setdefault(_prompt_name(recording), []).append(without_text)
        return recordings


_NOT_RECORDED = (
    "what a recording does not show: max_tokens, structured, logprobs, the options or the schema's definition"
)


def _prompt_name(recording: Recording) -> str:
    return recording.prompt.split("@")[0]


def _similarity(recording: Recording, missing: Recording) -> float:
    """Ranks a recording by similarity: first the prompt's name, then text, sample, model, and the ends of the texts."""
    return (
        8 * (_prompt_name(recording) == _prompt_name(missing))
        + 4 * (recording.user == missing.user)
        + 2 * (recording.sample == missing.sample)
        + (recording.reply.model == missing.reply.model)
        + fuzz.ratio(recording.about, missing.about) / 100
    )


def _differences(recording: Recording, missing: Recording) -> list[str]:
    pairs = [
        ("model", recording.reply.model, missing.reply.model),
        ("prompt", recording.prompt, missing.prompt),
        ("schema", recording.schema, missing.schema),
        ("parameters", _format_parameters(recording.parameters), _format_parameters(missing.parameters)),
        ("text", f"…{recording.about}", f"…{missing.about}"),
    ]
    differences = [f"{name} (recorded {theirs!r}, asked {ours!r})" for name, theirs, ours in pairs if theirs != ours]
    if recording.user != missing.user and recording.about == missing.about:
        differences.append("text (before its last words)")
    return differences


def _format_parameters(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in sorted(parameters.items()))
