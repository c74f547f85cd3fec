"""What a judge's replies cost: by the price in its settings, else by litellm's price list."""

import math
from typing import Any

from .litellm_loader import load_litellm
from .settings import JudgeSettings, Price

# Models without a price, each with the length of litellm's price list, which grows where users add prices: to search
# that list takes long.
_unpriced: set[tuple[str, int]] = set()


def known_price(settings: JudgeSettings) -> Price | None:
    """Returns the price of a judge before anything is asked; None where it is unknown, which is not free."""
    if settings.price is not None:
        return settings.price
    litellm = load_litellm()
    costs = _look_up(
        settings.model,
        lambda: litellm.cost_per_token(model=settings.model, prompt_tokens=10**6, completion_tokens=10**6),
    )
    return None if costs is None else Price(input=costs[0], output=costs[1])


def reply_cost(response: Any, settings: JudgeSettings) -> float | None:
    """Returns the cost of a reply in USD, from the usage that it states; None where the price is unknown.

    Args:
        response: litellm's response.
        settings: The judge's.
    """
    if settings.price is not None:
        return settings.price.cost(response.usage.prompt_tokens, response.usage.completion_tokens)
    if (stated := stated_cost(response)) is not None:
        return stated
    litellm = load_litellm()
    cost = _look_up(settings.model, lambda: litellm.completion_cost(response, model=settings.model))
    return None if cost is None else float(cost)


def stated_cost(response: Any) -> float | None:
    """Returns the cost in USD that litellm has worked out for a response, or that a proxy states; None without one."""
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    return float(cost) if isinstance(cost, int | float) and math.isfinite(cost) and cost >= 0 else None


def _look_up(model: str, search: Any) -> Any:
    """What a search of litellm's price list finds; None, at once the next time, where the model has no price."""
    searched = model, len(load_litellm().model_cost)
    if searched in _unpriced:
        return None
    try:
        return search()
    except Exception:  # litellm has no one error for this; whatever it is, a reply is worth more than its price
        _unpriced.add(searched)
        return None
