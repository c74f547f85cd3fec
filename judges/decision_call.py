"""One call of a decision model through litellm, and the raw reply: the body as it came."""

import json
import time
from typing import Any

from .body_limit import bounded_body
from .litellm_loader import load_litellm
from .pricing import known_price, stated_cost
from .question import Question, RawReply
from .request_size import estimate_tokens, is_plausible_count, measure_question
from .settings import JudgeSettings


async def call_decision_model(question: Question[Any], settings: JudgeSettings, route: dict[str, Any]) -> RawReply:
    """Asks a decision model once.

    Args:
        question: What is asked; its protocol is not `chat`.
        settings: The judge's.
        route: Where the model is: `model`, and perhaps `api_base` and `api_key`.

    Raises:
        openai.OpenAIError: The call failed.
        JudgeError: The reply has no end.
    """
    litellm = load_litellm()
    send = litellm.adecisions if question.protocol == "decisions" else litellm.asystemone
    started = time.perf_counter()
    with bounded_body(keep=True) as body:
        response = await send(
            **route, **json.loads(question.user), timeout=settings.timeout, num_retries=0, max_retries=0
        )
    seconds = time.perf_counter() - started
    text = settings.scrubber.scrub(_body_with_answers(body.content) or response.model_dump_json())
    usage = response.usage
    tokens_in, tokens_out = getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)
    if is_plausible_count(tokens_in, [question.user]) and isinstance(tokens_out, int) and tokens_out >= 0:
        price = known_price(settings) if (stated := stated_cost(response)) is None else None
        usd = stated if price is None else price.cost(tokens_in, tokens_out)
    else:  # no usage, or an impossible one: a bound in tokens still has to hold; without a price a cost is a guess
        tokens_in = measure_question(question, settings, settings.price).tokens_in
        tokens_out = estimate_tokens([text])
        usd = None if settings.price is None else settings.price.cost(tokens_in, tokens_out)
    return RawReply(settings.identity, text, tokens_in=tokens_in, tokens_out=tokens_out, usd=usd, seconds=seconds)


def _body_with_answers(content: bytes) -> str:
    """The body as it came, where its answers stand at its top; "" where a provider wraps them."""
    try:
        text = content.decode("utf-8")
        body = json.loads(text)
    except ValueError:
        return ""
    return text if isinstance(body, dict) and "answers" in body else ""
