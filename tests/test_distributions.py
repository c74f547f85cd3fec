"""The wheel in a new environment without extras; `.ci/run` does the same with the newest Python."""

import subprocess
import sys

import distribution_check
import pytest
from distribution_check import ROOT, CheckError, check_metadata, find_python, stated_version, supported_versions

THIS_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def test_the_supported_pythons_are_those_of_the_classifiers():
    assert supported_versions() == ["3.11", "3.12", "3.13"]
    assert find_python(THIS_PYTHON) is not None
    assert find_python("3.1") is None


def test_metadata_of_another_version_is_refused():
    with pytest.raises(CheckError, match=rf"the metadata says version 9\.9, the sources {stated_version()}"):
        check_metadata("Metadata-Version: 2.4\nName: assay\nVersion: 9.9\n")


@pytest.mark.slow
def test_the_wheel_works_without_extras():
    """pip, the metadata, `assay --version`, `import assay`, every module that needs no extra, and `assay demo`."""
    command = [sys.executable, distribution_check.__file__, "--python", THIS_PYTHON]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "assay demo" in done.stdout
