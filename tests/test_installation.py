"""The command that installs an extra fits how Assay was installed (PEP 610's `direct_url.json`).

And the wheel in a new environment without extras; `.ci/run` does the same with the newest Python.
"""

import importlib
import json
import shlex
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import distribution_check
import pytest

from assay import installation
from assay.errors import UsageError
from assay.installation import install_command, load_entry, require_extra

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
