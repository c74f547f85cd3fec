"""The key of a question: a hash of all that determines its reply, and of nothing else."""

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from .entailment import pinned_revision
from .question import Question
from .settings import JudgeSettings

if TYPE_CHECKING:
    from hashlib import _Hash


class QuestionKeys:
    """Computes the keys of one judge's questions.

    A key covers the model, its parameters, how a shape is asked for, the schema, the options, whether the alternatives
    are asked for, and every message. What is the same for all samples is hashed once.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        self._hashes: dict[tuple[object, ...], _Hash] = {}  # of what is the same for all samples

    def compute(self, question: Question[Any]) -> str:
        """Returns the key of a question: the first 32 hexadecimal digits of a SHA-256."""
        shape = (question.schema, question.options, question.logprobs, question.max_tokens, question.protocol)
        constant = (question.prompt.identity, *shape)
        if constant not in self._hashes:
            self._hashes[constant] = hashlib.sha256(self._constant_part(question))
        key = self._hashes[constant].copy()
        key.update(question.user.encode("utf-8", "surrogatepass"))
        for message in question.follow_up:
            key.update(f"\x1e{message['role']}\x1f{message['content']}".encode("utf-8", "surrogatepass"))
        return key.hexdigest()[:32]

    def _constant_part(self, question: Question[Any]) -> bytes:
        schema: type[BaseModel] = question.schema
        parts = {
            "model": self._settings.identity,
            "parameters": self._settings.parameters,
            "max_tokens": question.max_tokens or self._settings.max_tokens,
            "structured": self._settings.structured,
            "schema": strict_schema(schema),
            "options": question.options,
            "logprobs": question.logprobs and self._settings.logprobs,
            "opening": question.prompt.opening,
        }
        if question.protocol != "chat":
            parts["protocol"] = question.protocol
        if question.protocol == "entail":
            settings = self._settings
            parts["model"] = [settings.identity, pinned_revision(settings.model, settings.revision)]
            parts["reads"] = [settings.template, settings.yes, settings.window, settings.overlap]
        return json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str).encode() + b"\x1e"


@cache
def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Returns the JSON schema of a reply's model in its strict form: every property is required, no other is allowed.

    Example:
        >>> from assay.judges import Choice
        >>> schema = strict_schema(Choice)
        >>> schema["required"], schema["additionalProperties"]
        (['word'], False)
    """
    schema = model.model_json_schema()
    for part in [schema, *schema.get("$defs", {}).values()]:
        if part.get("type") == "object":
            part["required"] = list(part.get("properties", {}))
            part["additionalProperties"] = False
    return schema
