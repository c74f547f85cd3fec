"""The pytest plugin: a judge whose replies are recorded beside the tests, and tests for each sample of a set.

It is loaded in every pytest session where Assay is installed, so nothing but pytest is imported before it is needed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

if TYPE_CHECKING:
    from ..judges import LiteLLMJudge

MODES = ("replay", "record", "auto", "off")
ARGUMENT = "sample"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--assay-judge` and `--assay-mode`, and the settings `assay_judge` and `assay_mode` of the ini file."""
    group = parser.getgroup("assay", "Assay, scores of a chatbot's answers")
    group.addoption(
        "--assay-judge",
        metavar="JUDGE",
        help="who judges in the fixture assay_judge: a litellm model string, gguf:PATH, or a settings file",
    )
    group.addoption(
        "--assay-mode",
        choices=MODES,
        help="how its recorded replies are used: replay (the default; no model is asked), auto (what is missing is "
        "asked and recorded), record (all is asked anew), off (nothing is recorded)",
    )
    parser.addini("assay_judge", "who judges in the fixture assay_judge", default="")
    parser.addini("assay_mode", "how its recorded replies are used: replay, auto, record or off", default="replay")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker `assay_set`."""
    config.addinivalue_line(
        "markers",
        "assay_set(source, **options): runs the test once per sample of a set, which is its argument `sample`; the "
        "options are those of assay.load_set",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test marked with `assay_set` once per sample, under the sample's id."""
    marker = metafunc.definition.get_closest_marker("assay_set")
    if marker is None:
        return
    name = metafunc.definition.name
    if ARGUMENT not in metafunc.fixturenames:
        pytest.fail(f"{name} is marked with assay_set and takes no argument `{ARGUMENT}`", pytrace=False)
    if len(marker.args) != 1:
        pytest.fail(f"{name}: assay_set takes the set: @pytest.mark.assay_set('answers.jsonl')", pytrace=False)
    from ..errors import AssayError
    from ..eval_sets import load_set

    source = str(marker.args[0])
    beside = metafunc.definition.path.parent / source
    try:
        samples = load_set(beside if beside.exists() else source, **marker.kwargs)
    except AssayError as error:
        _fail(f"{name}: {error}")
    metafunc.parametrize(ARGUMENT, samples, ids=[sample.id for sample in samples])


@pytest.fixture(scope="module")
def assay_judge(request: pytest.FixtureRequest) -> "Iterator[LiteLLMJudge]":
    """A judge with one cassette per test module, `cassettes/MODULE.jsonl` beside it.

    `--assay-judge` (or `assay_judge` in the ini file) names the judge, `--assay-mode` says how its recorded replies are
    used. Any number of processes (pytest-xdist) may record at once.
    """
    from ..errors import AssayError
    from ..judges import LiteLLMJudge
    from ..metrics.metric import run_to_end

    name, mode = _setting(request.config, "assay_judge"), _setting(request.config, "assay_mode")
    if mode not in MODES:
        _fail(f"assay_mode is {', '.join(MODES)}, not {mode!r}")
    if not name:
        _fail("the fixture assay_judge needs a judge: --assay-judge JUDGE, or assay_judge = JUDGE in the ini file")
    cassette = request.path.parent / "cassettes" / f"{request.path.stem}.jsonl"
    if mode == "replay" and not cassette.exists():
        _fail(f"there are no recorded replies in {_relative(cassette, request)}; record them with --assay-mode auto")
    if mode in {"record", "auto"}:
        cassette.parent.mkdir(exist_ok=True)
    try:
        judge = LiteLLMJudge(name, cassette=None if mode == "off" else cassette, mode=mode)  # type: ignore[arg-type]
    except AssayError as error:
        _fail(str(error))
    yield judge
    run_to_end(_close(judge))


async def _close(judge: "LiteLLMJudge") -> None:
    async with judge:
        pass


def _setting(config: pytest.Config, name: str) -> str:
    option: Any = config.getoption(name)
    return str(option or config.getini(name))


def _relative(path: Path, request: pytest.FixtureRequest) -> str:
    root = request.config.rootpath
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _fail(reason: str) -> NoReturn:
    raise pytest.fail.Exception(reason, pytrace=False) from None  # pytest would print the error that it came from too
