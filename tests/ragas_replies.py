"""What a sensible judge would say to Ragas's prompts for faithfulness and answer relevancy, whoever sends them.

A script for the server: `python tests/openai_server.py --script tests/ragas_replies.py`; Assay's own prompts are
answered as without it.
"""

import json
import re

from openai_server import Answer

_INPUT = re.compile(r"Now perform the same with the following input\s+input: (.*)\s+Output:\s*$", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
_GREETING = re.compile(r"hello|hi\b|thank|sorry", re.IGNORECASE)


def script(request):
    """The reply to a prompt of Ragas, None for any other."""
    for message in reversed(request.body.get("messages", [])):
        if match := _INPUT.search(message["content"]):
            text = json.dumps(_reply(json.loads(match[1])), ensure_ascii=False)
            wanted = request.body.get("n") or 1
            return Answer(text=text) if wanted == 1 else Answer(text=text * wanted, raw=_choices(request, text, wanted))
    return None


def _choices(request, text, wanted):
    """A body with `wanted` times the same choice, as a provider replies to `n`; the prompt is paid for once."""
    taken_in = sum(len(message["content"]) for message in request.body["messages"]) // 4
    out = wanted * (len(text) // 4 + 1)
    message = {"role": "assistant", "content": text, "refusal": None}
    choices = [{"index": index, "message": message, "finish_reason": "stop"} for index in range(wanted)]
    reply = {"id": f"reply-{request.number}", "object": "chat.completion", "created": 0, "choices": choices}
    usage = {"prompt_tokens": taken_in, "completion_tokens": out, "total_tokens": taken_in + out}
    return json.dumps(reply | {"model": request.body.get("model", ""), "usage": usage})


def _reply(fields):
    """By the fields of the prompt's input, as no prompt of these three has another's."""
    if "answer" in fields:
        return {"statements": _statements(fields["answer"])}
    if "statements" in fields:
        return {"statements": [_verdict(statement, fields["context"]) for statement in fields["statements"]]}
    statements = _statements(fields["response"])
    return {"question": f"{(statements or ['What?'])[0].rstrip('.!')}?", "noncommittal": int(not statements)}


def _statements(answer):
    sentences = [sentence.strip() for sentence in _SENTENCE_END.split(answer) if _WORD.search(sentence)]
    return [sentence for sentence in sentences if not sentence.endswith("?") and not _GREETING.match(sentence)]


def _verdict(statement, context):
    missing = _words(statement) - _words(context)
    reason = f"Missing: {' '.join(sorted(missing))[:60]}." if missing else "All of its words are there."
    return {"statement": statement, "reason": reason, "verdict": int(not missing)}


def _words(text):
    return set(_WORD.findall(text.casefold()))
