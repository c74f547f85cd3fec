"""The command that installs an extra fits how Assay was installed (PEP 610's `direct_url.json`).

And the wheel in a new environment without extras; `.ci/run` does the same with the newest Python.
"""

import importlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, packages_distributions, requires
from pathlib import Path

import distribution_check
import pytest
from install_size import PURPOSES
from packaging.requirements import Requirement
from warm_python import COMMANDS, WarmPython

from assay import installation
from assay.errors import UsageError
from assay.installation import install_command, load_entry, missing_packages, require_extra, require_packages

ROOT = Path(__file__).parents[1]


class Distribution:
    """An installation that recorded this origin."""

    def __init__(self, origin):
        self.origin = origin

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.origin is None else json.dumps(self.origin)


@pytest.mark.parametrize(
    ("origin", "arguments"),
    [
        (None, ["assay[st]"]),
        ({"url": "file:///srv/my%20bot/assay", "dir_info": {}}, ["/srv/my bot/assay[st]"]),
        ({"url": "file:///srv/assay", "dir_info": {"editable": True}}, ["-e", "/srv/assay[st]"]),
        (
            {"url": "file:///tmp/assay-0.1.0-py3-none-any.whl", "archive_info": {}},
            ["/tmp/assay-0.1.0-py3-none-any.whl[st]"],
        ),
        (
            {"url": "https://a.example/assay-0.1.0.whl", "archive_info": {}},
            ["assay[st] @ https://a.example/assay-0.1.0.whl"],
        ),
        (
            {"url": "https://a.example/assay.git", "vcs_info": {"vcs": "git", "commit_id": "abc123"}},
            ["assay[st] @ git+https://a.example/assay.git@abc123"],
        ),
    ],
    ids=["index", "checkout", "editable", "wheel", "url", "git"],
)
def test_the_command_installs_from_where_assay_came(monkeypatch, origin, arguments):
    monkeypatch.setattr(installation, "_checkout_project", lambda: None)
    monkeypatch.setattr(installation, "distribution", lambda _: Distribution(origin))
    monkeypatch.setattr(installation, "find_spec", lambda _: object())
    assert shlex.split(install_command("st")) == [sys.executable, "-m", "pip", "install", *arguments]


def test_without_pip_the_command_is_uvs(monkeypatch):
    monkeypatch.setattr(installation, "_checkout_project", lambda: None)
    monkeypatch.setattr(installation, "distribution", lambda _: Distribution(None))
    monkeypatch.setattr(installation, "find_spec", lambda _: None)
    assert shlex.split(install_command("st")) == ["uv", "pip", "install", "--python", sys.executable, "assay[st]"]


def test_in_a_checkout_that_a_build_left_metadata_in_the_command_installs_the_checkout(monkeypatch):
    monkeypatch.setattr(installation, "distribution", lambda _: Distribution(None))
    monkeypatch.setattr(installation, "find_spec", lambda _: object())
    assert shlex.split(install_command("st"))[-2:] == ["-e", f"{ROOT}[st]"]


def test_a_missing_library_is_one_error_that_says_how_to_install_it():
    with pytest.raises(UsageError) as raised, require_extra("st", "the embedder st:MODEL"):
        import no_such_library  # noqa: F401
    assert str(raised.value) == (
        f"the embedder st:MODEL needs the extra `st` (no_such_library is missing): {install_command('st')}"
    )


def test_a_module_of_another_package_that_cannot_be_imported_is_one_error(tmp_path, monkeypatch):
    (tmp_path / "broken_metrics.py").write_text("1 / 0", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    message = (
        r"^polite is registered in assay\.metrics by the package assay as broken_metrics:Polite, which cannot be "
        r"imported: ZeroDivisionError: division by zero$"
    )
    with pytest.raises(UsageError, match=message):
        load_entry(EntryPoint("polite", "broken_metrics:Polite", "assay.metrics"))


def test_a_checkout_holds_the_package_once():
    """Its search path reaches the folder `assay` too; a second copy would have classes of its own."""
    with pytest.raises(ImportError, match="this package is `assay`"):
        importlib.import_module("assay.assay")


THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.mark.slow
def test_the_wheel_works_without_extras():
    """pip, the metadata, `assay --version`, `import assay`, every module that needs no extra, and `assay demo`."""
    command = [sys.executable, distribution_check.__file__, "--python", THIS_PYTHON]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "assay demo" in done.stdout


DEVELOPMENT = {"all", "browser", "dev", "docs"}


def project():
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def needed_packages(*names):
    """The packages and all that they need."""
    needed = set()
    waiting = list(names)
    while waiting:
        name = normalised(waiting.pop())
        if name in needed:
            continue
        needed.add(name)
        for line in requires(name) or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return needed


def test_each_dependency_has_a_purpose():
    """What only some users need belongs to an extra. The page has the table that the command prints."""
    assert {normalised(Requirement(line).name) for line in project()["dependencies"]} == PURPOSES.keys()
    page = (ROOT / "benchmarks" / "results" / "figures.md").read_text(encoding="utf-8")
    assert [name for name, purpose in PURPOSES.items() if f"| {name} | {purpose} |" not in page] == []


def test_all_is_every_extra_for_users():
    extras = project()["optional-dependencies"]
    (everything,) = (Requirement(line) for line in extras["all"])
    assert everything.extras == extras.keys() - DEVELOPMENT


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name.partition(".")[0])
sys.meta_path.insert(0, Blocked())
from assay import installation
installed = installation._is_installed
installation._is_installed = lambda package: package.lower() in {packages} and installed(package)
"""


@pytest.fixture(scope="module")
def core():
    """The code after which only packages of the plain installation can be imported, and a Python that has run it."""
    core = needed_packages(*PURPOSES)
    own = {"assay", "pip", "setuptools"}
    names = {
        module
        for module, owners in packages_distributions().items()
        if not {normalised(owner) for owner in owners} & (core | own)
    }
    blocked = BLOCKED.format(names=sorted(names), packages=sorted(core))
    python = WarmPython(blocked, COMMANDS)
    yield blocked, python
    python.stop()


@pytest.fixture
def run_in_core(core, tmp_path):
    """Runs a command where only the packages of the plain installation can be imported."""
    blocked, python = core
    code = f"{blocked}\nfrom assay.cli import main\nmain()"
    return lambda *words: python.run("-c", code, *words, cwd=tmp_path)


@pytest.mark.extras  # where nothing beside the core is installed, CI runs the wheel too: tests/distribution_check.py
@pytest.mark.timeout(300)
def test_judging_meta_evaluation_and_nightly_runs_work_in_the_core(tmp_path, run_in_core):
    """All that the README's first page shows: the demo, a run, the meta-evaluation with its report, a suite."""
    demo = run_in_core("demo", "--json")
    assert demo.returncode == 0, demo.stderr
    assert json.loads(demo.stdout)["metrics"]["faithfulness"]["scored"] > 100
    meta = run_in_core("meta", "last", "--bootstrap", "100", "--repeats", "1", "--report", "report.html")
    assert meta.returncode == 0, meta.stderr
    gates = "[{gate: regression, metric: token_overlap}]"
    outputs = "{junit: j.xml, summary: s.md, site: site}"
    suite = f"sets: helpdesk_en\nmetrics: token_overlap\ngates: {gates}\noutputs: {outputs}\n"
    (tmp_path / "suite.yaml").write_text(suite, encoding="utf-8")
    for words in (("suite", "suite.yaml"), ("accept", "last"), ("suite", "suite.yaml")):
        done = run_in_core(*words)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("run", "helpdesk_en", "--metrics", "heuristic"), "heuristic"),
        (("run", "kpi_en", "--metrics", "numeric_claims"), "numeric"),
        (("run", "helpdesk_en", "--metrics", "token_overlap", "--store", "postgresql://u@127.0.0.1/d"), "postgres"),
        (("run", "helpdesk_en", "--metrics", "answer_relevance", "--judge", "openai/x", "--embedder", "st:x"), "st"),
        (("numeric", "check", "t.csv", "The mean of x is 2."), "numeric"),
        (("run", "table.parquet", "--metrics", "token_overlap"), "tables"),
        (("run", "helpdesk_en", "--metrics", "bleu"), "bleu"),
        (("run", "helpdesk_en", "--metrics", "factoid"), "numeric"),
        (("run", "helpdesk_en", "--judge", "gguf:model.gguf"), "local"),
        (("run", "*.parquet", "--metrics", "token_overlap", "--out", "out"), "tables"),
        (("view",), "web"),
        (("heuristic", "explain", "helpdesk_en", "en-001"), "heuristic"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(tmp_path, run_in_core, words, extra):
    (tmp_path / "t.csv").write_text("day,x\n2026-01-01,1\n2026-01-02,3\n", encoding="utf-8")
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    done = run_in_core(*words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    *_, line = done.stderr.splitlines()
    assert f"needs the extra `{extra}`" in line
    assert "pip install" in line


def test_missing_packages_are_read_from_the_metadata(monkeypatch):
    lines = ['one>=1; extra == "first"', "two ; extra == 'first'", 'assay[first]; extra == "second"', "click>=8"]
    monkeypatch.setattr(installation, "_own_requirements", lambda: lines)
    monkeypatch.setattr(installation, "_is_installed", lambda package: package == "one")
    missing_packages.cache_clear()
    assert missing_packages("first") == missing_packages("second") == ("two",)
    with pytest.raises(UsageError, match=r"the page needs the extra `second` \(missing: two\): .* install "):
        require_packages("second", "the page")
    missing_packages.cache_clear()
