"""An alarm in the form that Slack's incoming webhooks take."""

from typing import Any

from ...presentation.texts import one_line
from .alarm_message import AlarmAnswer, AlarmMessage

_LONGEST_TEXT = 500  # characters of a question or an answer; Slack takes 3,000 per block
_LONGEST_HEADER = 140  # Slack takes 150
_LONGEST_SENTENCE = 2_500


def slack_form(message: AlarmMessage) -> dict[str, Any]:
    """Returns the body for an incoming webhook of Slack.

    What customers, the chatbot and the judge wrote stands in `plain_text` blocks, in which Slack obeys no mark, so that
    no answer can call a channel or hide a link.

    Example:
        >>> message = AlarmMessage("1", "bot", "fired", "mean at least 3.8", "It fell <!here>.", "", 3.2, 3.0, 3.4,
        ...     (AlarmAnswer("t", "Free?", "<!channel> Yes"),), "", "2026-11-23T00:00:00Z")
        >>> form = slack_form(message)
        >>> form["text"]
        'bot: alarm: It fell &lt;!here&gt;.'
        >>> form["blocks"][-1]["text"]
        {'type': 'plain_text', 'text': 'Q: Free?\\nA: <!channel> Yes', 'emoji': False}
    """
    head = f"{message.watch}: {'alarm' if message.event == 'fired' else 'cleared'}"
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": _plain(one_line(head, _LONGEST_HEADER))},
        {"type": "section", "text": _plain(one_line(message.sentence, _LONGEST_SENTENCE))},
    ]
    if message.page:
        blocks.append(_link(message.page, "the watch's page"))
    for answer in message.answers:
        blocks.append({"type": "section", "text": _plain(_describe(answer))})
        if answer.link:
            blocks.append(_link(answer.link, f"the page of {one_line(answer.id, 80)}"))
    return {"text": _escape(one_line(f"{head}: {message.sentence}", _LONGEST_SENTENCE)), "blocks": blocks}


def _describe(answer: AlarmAnswer) -> str:
    lines = [f"Q: {one_line(answer.question, _LONGEST_TEXT)}", f"A: {one_line(answer.answer, _LONGEST_TEXT)}"]
    score = "" if answer.score is None else f"{answer.score:.2f}"
    if score or answer.reason:
        lines.append(" · ".join(filter(None, [score, one_line(answer.reason, _LONGEST_TEXT)])))
    return "\n".join(lines)


def _plain(text: str) -> dict[str, Any]:
    return {"type": "plain_text", "text": text or "-", "emoji": False}


def _link(url: str, text: str) -> dict[str, Any]:
    url = url.replace("<", "%3C").replace(">", "%3E").replace("|", "%7C").replace("&", "&amp;")
    return {"type": "section", "text": {"type": "mrkdwn", "text": f"<{url}|{_escape(text)}>"}}


def _escape(text: str) -> str:
    """The characters that Slack reads as marks, as it wants them written."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "¦")
