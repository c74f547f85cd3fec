"""Settings of a judge, checked before anything is asked; a missing key of an API is one error before the first call."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from case_files import cases_beside
from openai_server import Answer
from pydantic import ValidationError
from test_house import nodes

from assay import evaluate
from assay.errors import InputError, JudgeUnavailable, UsageError
from assay.judges import JudgeSettings, LiteLLMJudge, bundled_judge_names, load_litellm, load_settings, missing_api_key


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


@pytest.mark.parametrize(("content", "message"), cases_beside(__file__))
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


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("model", "missing"),
    [
        ("openai/gpt-4o-mini", "OPENAI_API_KEY"),
        ("gemini/gemini-1.5-flash", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("bedrock/anthropic.claude-3", None),  # a role of the machine signs in without a key
        ("ollama/llama3", None),
        ("gguf:model.gguf", None),
    ],
)
def test_the_variable_that_is_missing(model, missing):
    assert missing_api_key(model) == missing


def test_one_of_two_keys_or_a_key_set_in_python_is_enough(monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "secret")
    assert missing_api_key("gemini/gemini-1.5-flash") is None
    monkeypatch.setattr(load_litellm(), "openai_key", "secret")
    assert missing_api_key("openai/gpt-4o-mini") is None


@pytest.mark.parametrize(
    "words",
    [
        ("run", "set.jsonl", "--judge", "openai/gpt-4o-mini"),
        ("run", "set.jsonl", "--judge", "openai/gpt-4o-mini", "--cassette", "new.jsonl"),
        ("suite", "suite.yaml"),
        ("judges", "compare", "set.jsonl", "--judge", "openai/gpt-4o-mini", "--judge", "openai/gpt-4o"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_no_command_without_a_key_stores_an_empty_run(assay, set_file, words):
    set_file(8)
    assert assay("run", "set.jsonl", "--metrics", "token_overlap").code == 0
    assert assay("init", "set.jsonl", "--judge", "openai/gpt-4o-mini").code == 0
    before = assay("show", "runs", "--json").json
    assert "set the environment variable OPENAI_API_KEY" in assay(*words, code=1).err
    assert assay("show", "runs", "--json").json == before


def test_a_run_that_has_all_replies_needs_no_key(assay, set_file, judge_file, openai_server, monkeypatch):
    judge_file(price={"input": 0, "output": 0})
    words = ("--judge", "local.yaml", "--metrics", "faithfulness", "--cassette", "replies.jsonl")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert assay("run", set_file(4), *words).code == 0
    asked = len(openai_server.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    assert assay("run", "set.jsonl", *words).code == 0
    assert assay("run", "--resume", "last", "--out", "scores.csv").code == 0
    assert len(openai_server.requests) == asked


ROOT = Path(__file__).parents[2]
LOADER = Path("judges/litellm_lookup.py")


def imported_modules(path: Path) -> Iterator[str]:
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def test_only_the_loader_imports_litellm():
    folders = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name not in {"tests", "build"}]
    files = [path for folder in [*folders, ROOT / "benchmarks"] for path in folder.rglob("*.py")]
    importing = {
        path.relative_to(ROOT)
        for path in files
        if any(module.partition(".")[0] == "litellm" for module in imported_modules(path))
    }
    assert importing == {LOADER}


def test_the_loader_reaches_no_network_and_turns_telemetry_off(warm_python):
    """The process has loaded it already, under a guard that ends it if it reaches for another machine."""
    script = (
        "from assay.judges.litellm_lookup import load_litellm\n"
        "litellm = load_litellm()\n"
        "print(litellm.telemetry, litellm.suppress_debug_info, bool(litellm.model_cost))\n"
    )
    done = warm_python.run("-c", script)
    assert (done.returncode, done.stdout) == (0, "False True True\n"), done.stderr


ROWS = [{"question": "Free?", "answer": "Yes.", "context": "Yes."}]


def test_a_model_of_no_provider_is_refused_before_any_call():
    with pytest.raises(JudgeUnavailable, match=r"nosuch/model.*write PROVIDER/MODEL.*Nothing was asked$"):
        evaluate(ROWS, "faithfulness", judge="nosuch/model")


def test_the_provider_may_stand_in_the_parameters(openai_server, monkeypatch):
    """litellm calls such a model, whatever its name; one of a provider that litellm does not know is refused."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    settings = JudgeSettings(
        model="our-model",
        api_base=openai_server.api_base,
        parameters={"custom_llm_provider": "openai"},
        structured="schema",
    )
    [scores] = evaluate(ROWS, "faithfulness", judge=LiteLLMJudge(settings)).scores.values()
    assert scores["faithfulness"].status == "scored"
    assert {request.body["model"] for request in openai_server.requests} == {"our-model"}
    asked = len(openai_server.requests)
    unknown = settings.model_copy(update={"parameters": {"custom_llm_provider": "nosuch"}})
    with pytest.raises(JudgeUnavailable, match="litellm knows no provider of our-model"):
        evaluate(ROWS, "faithfulness", judge=LiteLLMJudge(unknown))
    assert len(openai_server.requests) == asked


def test_a_sign_in_that_failed_is_not_called_an_unknown_provider(openai_server, monkeypatch, tmp_path):
    """litellm signs in to GitHub Copilot where it looks for the provider, and raises the same error for both."""
    (tmp_path / "access-token").write_text("secret", encoding="utf-8")
    monkeypatch.setenv("GITHUB_COPILOT_TOKEN_DIR", str(tmp_path))
    monkeypatch.setenv("GITHUB_COPILOT_API_KEY_URL", f"{openai_server.api_base}/sign-in")
    openai_server.script = lambda _: Answer(status=401)
    judge = LiteLLMJudge(JudgeSettings(model="github_copilot/gpt-4", wait=0, attempts=1))
    [scores] = evaluate(ROWS, "faithfulness", judge=judge).scores.values()
    assert scores["faithfulness"].status == "failed"
    assert "Failed to refresh API key" in scores["faithfulness"].reason
    assert {request.path for request in openai_server.requests} == {"/v1/sign-in"}
