"""Settings of a judge: a small YAML file, checked before anything is asked."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from assay.errors import InputError, UsageError
from assay.judges import (
    JudgeSettings,
    LiteLLMJudge,
    bundled_judge_names,
    load_settings,
)


@pytest.mark.parametrize("name", bundled_judge_names())
def test_a_bundled_judge_loads_by_name(name):
    settings = load_settings(name)
    assert settings.price is not None and settings.price.cost(10**6, 10**6) == 0
    if settings.model.startswith("entail:"):
        assert settings.identity == settings.model.removeprefix("entail:")
    else:
        assert settings.model.startswith("gguf:~/.cache/assay-judges/")
        assert settings.identity == Path(settings.model).stem


def test_a_file_a_model_string_and_a_gguf_path(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("model: ollama/llama3.2\nconcurrency: 2\nprice: {input: 0.5, output: 2}\n")
    mine = load_settings(str(file))
    assert (mine.model, mine.concurrency, mine.identity) == ("ollama/llama3.2", 2, "ollama/llama3.2")
    assert mine.price is not None and mine.price.cost(1_000_000, 500_000) == pytest.approx(0.5 + 1.0)
    assert load_settings("openai/gpt-4o-mini") == JudgeSettings(model="openai/gpt-4o-mini")
    assert load_settings("gguf:/srv/q.gguf").identity == "q"
    assert JudgeSettings(model="openai/x", served_as="qwen").identity == "qwen"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the whole file: is empty; write KEY: VALUE on each line; the keys are `model`"),
        ("max_tokens: 5", "line 1, model: is missing; add it"),
        (
            "model: a/b\nmax_token: 5\n",
            "line 2, max_token: is an unknown key; did you mean `max_tokens`.* The keys are `model`, `served_as`",
        ),
        ("model: a/b\nconcurrency: 0\n", "line 2, concurrency: is 0; write 1 or more"),
        ("model: a/b\nprice: {input: -1, output: 0}\n", "price.input"),
        ("model: [a\n", "mine.yaml, line 2: not valid YAML"),
        ("- a\n- b\n", "mine.yaml, line 1, the whole file: is a list"),
        (
            "model: a/b\nparameters: {api_key: sk-1}\n",
            "api_key would become part of the key of every recording, .*; set the provider's env",
        ),
        ("model: a/b\nparameters: {extra_body: {login: {password: x}}}\n", "password would become part of"),
        ("model: a/b\nparameters: {extra_body: [{access_token: x}]}\n", "access_token would become part of"),
        ("model: a/b\nparameters: {max_tokens: 5, temperature: 0}\n", "max_tokens cannot be a parameter"),
        ("model: a/b\nparameters: {options: {num_predict: 9}}\n", "options.num_predict cannot be a parameter"),
        ("model: a/b\nparameters: {extra_body: {g: [{maxOutputTokens: 9}]}}\n", "extra_body.g.maxOutputTokens cannot"),
    ],
)
def test_a_bad_file_is_told_with_its_name_and_field(tmp_path, content, message):
    file = tmp_path / "mine.yaml"
    file.write_text(content)
    with pytest.raises(InputError, match=message) as caught:
        load_settings(str(file))
    assert str(file) in str(caught.value)
    assert "sk-1" not in str(caught.value)


def test_what_cannot_be_read_and_what_names_no_judge(tmp_path):
    with pytest.raises(InputError, match=r"none\.yaml: the judge's settings cannot be read"):
        load_settings(str(tmp_path / "none.yaml"))
    (tmp_path / "latin.yaml").write_bytes("model: a/b # é".encode("latin-1"))
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(str(tmp_path / "latin.yaml"))
    with pytest.raises(UsageError, match=r"no judge is called 'qwen'; give one of factcg, .*, qwen0\.5b, qwen1\.5b, "):
        load_settings("qwen")


@pytest.mark.parametrize("overrides", [{"concurrency": 0}, {"parallel": 3}, {"parameters": {"api_key": "x"}}])
def test_bad_overrides_are_a_usage_error(overrides):
    with pytest.raises(UsageError, match="the judge openai/a: "):
        LiteLLMJudge("openai/a", **overrides)


@pytest.mark.parametrize("mode", ["replay", "record"])
def test_a_mode_that_needs_a_cassette(mode):
    with pytest.raises(UsageError, match=f"the mode {mode} needs a cassette"):
        LiteLLMJudge("openai/a", mode=mode)


@pytest.mark.parametrize(("model", "calls", "samples"), [("a/b", 16, 20), ("a/b", 3, 3), ("gguf:a.gguf", 8, 8)])
def test_a_quarter_more_samples_than_calls_but_for_a_model_on_this_machine(model, calls, samples):
    assert JudgeSettings(model=model, concurrency=calls).concurrent_samples == samples


def test_an_unknown_way_to_ask_is_refused_with_those_that_there_are():
    with pytest.raises(ValidationError, match="'auto', 'single', 'listed', 'decisions', 'systemone' or 'entail'"):
        JudgeSettings(model="openai/test", decide="sngle")
