"""What is looked up in litellm, and the one place that imports it: late, without its downloads, telemetry and prints.

Of a model: the key that it needs, whether it takes a schema, what litellm's list says of it, and what it costs.
"""

import json
import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .question import MOST_USD
from .settings import ENTAIL, GGUF, PYTHON, JudgeSettings, Price

_DECISION_MODES = frozenset({"decisions", "evaluation"})
_unpriced: set[str] = set()  # models without a price: to search litellm's list takes long


def load_litellm(module: str = "") -> Any:
    """Imports litellm, which takes seconds, so that it reaches no network of its own accord.

    By itself its import downloads a price list. With the variable set here it reads the list that it brings along.

    Raises:
        ImportError: This version of litellm has no such module.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return import_module(f"litellm.{module}") if module else litellm


def missing_api_key(model: str) -> str | None:
    """Returns the environment variable that a model's provider needs and that is not set, or None.

    It is asked before the first call, so that not every sample is refused for want of it.
    Providers that know other ways to sign in (a role on AWS, a login of Google Cloud) are not asked about.
    """
    if model.startswith((GGUF, ENTAIL)):
        return None
    litellm = load_litellm()
    missing: list[str] = litellm.validate_environment(model)["missing_keys"]
    if litellm.api_key or not missing or not all(name.endswith("_API_KEY") for name in missing):
        return None
    # where several names are missing, such as GOOGLE_API_KEY and GEMINI_API_KEY, any of them would do
    if any(getattr(litellm, f"{name.removesuffix('_API_KEY').lower()}_key", None) for name in missing):
        return None
    return None if any(os.environ.get(name) for name in missing) else " or ".join(missing)


def name_api_key(error: BaseException) -> str:
    """The environment variable with the key that a provider refused, by litellm's error; without one general words."""
    provider = str(getattr(error, "llm_provider", "")).replace("_", "").upper()  # together_ai: TOGETHERAI_API_KEY
    names = (name for name in os.environ if name.endswith("_API_KEY"))
    known = (name for name in names if name.removesuffix("_API_KEY").replace("_", "") == provider)
    return next(known, "the provider's environment variable")


def has_known_provider(settings: JudgeSettings) -> bool:
    """Whether litellm knows who is to be asked for a model: by its name or parameters, else by its server's address.

    litellm raises the same error for other reasons too, such as a sign-in that failed: the first call says these.
    """
    if settings.model.startswith((GGUF, ENTAIL, PYTHON)):
        return True
    litellm = load_litellm()
    # given as an argument of its own, litellm would take any provider for a known one
    provider = settings.parameters.get("custom_llm_provider")
    model = f"{provider}/{settings.model}" if provider else settings.model
    try:
        litellm.get_llm_provider(model, api_base=settings.api_base)
    except litellm.exceptions.BadRequestError as error:
        return "LLM Provider NOT provided" not in str(error)
    return True


@cache
def takes_schema(model: str) -> bool:
    """Whether a model takes the JSON schema of a reply, by litellm's list."""
    return bool(load_litellm().supports_response_schema(model))


def is_decision_model(settings: JudgeSettings) -> bool:
    """Whether litellm lists the judge's model as one that answers typed questions and writes no text."""
    return _entry(settings.model).get("mode") in _DECISION_MODES


def find_context_limit(settings: JudgeSettings) -> int | None:
    """The longest request that the judge's model reads, in tokens; None where that is not known."""
    if settings.model.startswith(ENTAIL):
        return None  # it reads whatever is longer in windows
    if settings.states_context:
        return settings.context_tokens
    tokens = _entry(settings.model).get("max_input_tokens")
    return tokens if isinstance(tokens, int) and tokens > 0 else None


@cache
def _entry(model: str) -> dict[str, Any]:
    """The model's entry, by its name with or without the provider; empty where there is none."""
    text = _model_list()
    for name in (model, model.partition("/")[2]):
        start = text.find(f"{json.dumps(name)}: {{") if name else -1
        if start >= 0:
            entry, _ = json.JSONDecoder().raw_decode(text, text.index("{", start + len(json.dumps(name))))
            return dict(entry)
    return {}


@cache
def _model_list() -> str:
    """The text of litellm's list, read without importing litellm: a run in replay needs no more of it."""
    package = find_spec("litellm")
    if package is None or package.origin is None:
        return ""
    file = Path(package.origin).with_name("model_prices_and_context_window_backup.json")
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def known_price(settings: JudgeSettings) -> Price | None:
    """Returns the price of a judge before anything is asked; None where it is unknown, which is not free."""
    if settings.price is not None:
        return settings.price
    return listed_price(settings.model)


@cache
def listed_price(model: str) -> Price | None:
    """Returns the price of a model in litellm's list; None where it is unknown, which is not free."""
    try:
        costs = load_litellm().cost_per_token(model=model, prompt_tokens=10**6, completion_tokens=10**6)
    except Exception:  # litellm has no one error for this
        return None
    return Price(input=costs[0], output=costs[1])


def reply_cost(response: Any, settings: JudgeSettings) -> float | None:
    """Returns the cost of a reply in USD, from the usage that it states; None where the price is unknown."""
    if settings.price is not None:
        return settings.price.cost(response.usage.prompt_tokens, response.usage.completion_tokens)
    if (stated := stated_cost(response)) is not None:
        return stated
    if settings.model in _unpriced:
        return None
    try:
        return float(load_litellm().completion_cost(response, model=settings.model))
    except Exception:  # litellm has no one error for this; whatever it is, a reply is worth more than its price
        _unpriced.add(settings.model)
        return None


def stated_cost(response: Any) -> float | None:
    """Returns the cost in USD that litellm has worked out for a response, or that a proxy states; None without one."""
    cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
    return float(cost) if isinstance(cost, int | float) and 0 <= cost <= MOST_USD else None


def batch_price(settings: JudgeSettings) -> Price | None:
    """Returns the price of a judge in batches; None where it is unknown, which is not free.

    It is the price in the judge's settings where they have one (give the batch's there), else that of litellm's list.
    """
    if settings.price is not None:
        return settings.price
    listed = load_litellm().model_cost
    prices = listed.get(settings.model) or listed.get(settings.model.partition("/")[2]) or {}
    price_in, price_out = prices.get("input_cost_per_token_batches"), prices.get("output_cost_per_token_batches")
    if not isinstance(price_in, int | float) or not isinstance(price_out, int | float):
        return None
    return Price(input=price_in * 1e6, output=price_out * 1e6)
