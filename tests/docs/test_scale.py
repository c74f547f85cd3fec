"""The configuration of vLLM on the page about many answers is one that Ray accepts, and the page shows it whole."""

import os
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.mark.extras("ray")
def test_the_configuration_of_vllm_is_one_that_ray_accepts() -> None:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.data import llm

    text = (ROOT / "docs" / "vllm_batch.yaml").read_text(encoding="utf-8")
    fields = yaml.safe_load(text)
    config = llm.vLLMEngineProcessorConfig(**fields)
    assert config.engine_kwargs["enable_prefix_caching"] is True
    with pytest.raises(ValueError, match="nonsense"):
        llm.vLLMEngineProcessorConfig(**fields, nonsense=1)
    assert text in (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
