"""Whether the provider's key is set: found out before the first call, not by a refusal per sample."""

import os

from .litellm_loader import load_litellm
from .settings import GGUF


def missing_api_key(model: str) -> str | None:
    """Returns the environment variable that a model's provider needs and that is not set, or None.

    Providers that know other ways to sign in (a role on AWS, a login of Google Cloud) are not asked about.

    Args:
        model: A litellm model string.
    """
    if model.startswith(GGUF):
        return None
    litellm = load_litellm()
    missing: list[str] = litellm.validate_environment(model)["missing_keys"]
    if litellm.api_key or not missing or not all(name.endswith("_API_KEY") for name in missing):
        return None
    # where several names are missing, such as GOOGLE_API_KEY and GEMINI_API_KEY, any of them would do
    if any(getattr(litellm, f"{name.removesuffix('_API_KEY').lower()}_key", None) for name in missing):
        return None
    return None if any(os.environ.get(name) for name in missing) else " or ".join(missing)
