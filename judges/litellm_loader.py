"""The one place that imports litellm: late, and without its downloads, telemetry and prints."""

import os
from typing import Any


def load_litellm() -> Any:
    """Imports litellm, which takes seconds, so that it reaches no network of its own accord.

    By itself its import downloads a price list. With the variable set here it reads the list that it brings along.
    """
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    return litellm
