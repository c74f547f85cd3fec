"""What a request costs in a batch."""

from ..litellm_loader import load_litellm
from ..settings import JudgeSettings, Price


def batch_price(settings: JudgeSettings) -> Price | None:
    """Returns the price of a judge in batches; None where it is unknown, which is not free.

    It is the price in the judge's settings where they have one (give the batch's there), else that of litellm's list.

    Args:
        settings: The judge's.
    """
    if settings.price is not None:
        return settings.price
    listed = load_litellm().model_cost
    prices = listed.get(settings.model) or listed.get(settings.model.partition("/")[2]) or {}
    costs = prices.get("input_cost_per_token_batches"), prices.get("output_cost_per_token_batches")
    if not all(isinstance(cost, int | float) for cost in costs):
        return None
    return Price(input=costs[0] * 1e6, output=costs[1] * 1e6)
