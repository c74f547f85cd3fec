"""Metrics of other tools whose lower scores are better, known by their names."""

import re

_LOWER_IS_BETTER = frozenset(
    {
        *("noise_sensitivity", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant"),  # Ragas
        *("harmfulness", "maliciousness"),  # Ragas
        *("hallucination", "toxicity", "bias"),  # DeepEval, Phoenix, Opik
        *("hallucination_rate", "error_rate", "perplexity", "latency", "cost"),
        "declined",
    }
)


def is_known_lower_is_better(metric: str) -> bool:
    """Whether a metric's name says that its lower scores are better.

    Examples:
        >>> is_known_lower_is_better("noise_sensitivity(mode=relevant)"), is_known_lower_is_better("Hallucination")
        (True, True)
        >>> is_known_lower_is_better("faithfulness")
        False
    """
    name = re.split(r"[(\[@]", metric.strip().lower().rpartition(".")[2])[0]
    return name.strip().replace(" ", "_").replace("-", "_") in _LOWER_IS_BETTER
