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
    price_in, price_out = prices.get("input_cost_per_token_batches"), prices.get("output_cost_per_token_batches")
    if not isinstance(price_in, int | float) or not isinstance(price_out, int | float):
        return None
    return Price(input=price_in * 1e6, output=price_out * 1e6)
