"""Numerical claims by a pack of another package, in a language that the libraries do not know."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.languages import Language
from assay.metrics.numeric import lexicon

ROOT = Path(__file__).parents[2]
SECTIONS = ("claim_marks", "claim_times", "series_names", "plain_words", "notation")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with a package that registers `fy`, whose words are Dutch."""
    pack, info = tmp_path / "my_package" / "fy", tmp_path / "my_package-1.dist-info"
    shutil.copytree(ROOT / "languages" / "nl", pack)
    profile = (pack / "language.yaml").read_text(encoding="utf-8").replace("name: Dutch", "name: Frisian")
    (pack / "language.yaml").write_text(profile, encoding="utf-8")
    (tmp_path / "my_package" / "__init__.py").touch()
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_package\nVersion: 1\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[assay.languages]\nfy = my_package.fy\n", encoding="utf-8")
    (tmp_path / "t.csv").write_text("maand,orders\n2026-01,10\n2026-02,20\n2026-03,30\n", encoding="utf-8")
    return tmp_path


def _check(folder: Path) -> subprocess.CompletedProcess[str]:
    claim = ("t.csv", "De orders waren gemiddeld 20.", "--language", "fy")
    paths = os.pathsep.join([str(folder), str(ROOT), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", "assay", "numeric", "check", *claim],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_a_language_that_no_library_knows_is_read(packages):
    done = _check(packages)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verdict     supported: computed 20" in done.stdout


@pytest.mark.parametrize("section", SECTIONS[1:])
def test_a_file_that_a_pack_lacks_for_claims_is_told(section, packages, monkeypatch):
    folder = packages / "my_package" / "fy"
    (folder / f"{section}.yaml").unlink()
    monkeypatch.setattr(lexicon, "find_language", lambda code: Language("fy", folder))
    assert lexicon.why_unread("fy") == (
        f"the language pack fy has claim_marks.yaml, but no {section}.yaml; write it after languages/en/"
    )


def test_the_command_tells_of_the_file(packages):
    (packages / "my_package" / "fy" / "plain_words.yaml").unlink()
    done = _check(packages)
    assert (done.returncode, done.stdout) == (2, "")
    assert "but no plain_words.yaml" in done.stderr
