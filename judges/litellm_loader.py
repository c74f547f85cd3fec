"""The one place that imports litellm: late, and without its downloads, telemetry and prints."""

import os
from importlib import import_module
from typing import Any


def load_litellm(module: str = "") -> Any:
    """Imports litellm, which takes seconds, so that it reaches no network of its own accord.

    By itself its import downloads a price list. With the variable set here it reads the list that it brings along.

    Args:
        module: A module inside litellm (`litellm_core_utils.default_encoding`); litellm itself if left out.

    Raises:
        ImportError: This version of litellm has no such module.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return import_module(f"litellm.{module}") if module else litellm
