"""Builds the sdist, of it the wheel, and installs that into a new environment of a supported Python that is here.

    python tests/distribution_check.py          # the newest Python; `.ci/run` does this: it runs all else with its own
    python tests/distribution_check.py --all    # before a release
    python tests/distribution_check.py --python 3.12

In each environment, without any extra and outside the checkout: `pip check`, the metadata, `assay --version`,
`import assay`, every module that works without an extra, and `assay demo`. The first failure ends it with what was
typed and what was printed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).parents[1]

MODULES_OF_EXTRAS = {"assay.testing.plugin": "pytest", "assay.web": "web"}
"""The modules, or the packages with such modules, that cannot be imported without an extra, and the extra."""

IMPORT_ALL = """
import importlib, pkgutil, sys
import assay
optional = {optional}
count, failures = 0, []
for module in pkgutil.walk_packages(assay.__path__, "assay.", onerror=lambda name: None):
    try:
        importlib.import_module(module.name)
        count += 1
    except Exception as error:
        if not isinstance(error, ModuleNotFoundError) or not module.name.startswith(optional):
            failures.append(f"{{module.name}}: {{type(error).__name__}}: {{error}}")
print("\\n".join(failures) or f"{{count}} modules")
sys.exit(bool(failures) or count < 350)
"""


class CheckError(Exception):
    """Something of the distributions is not as it should be."""


def expect(condition, problem):
    """Raises `CheckError` with the problem where the condition does not hold."""
    if not condition:
        raise CheckError(problem)


def run(*words, folder):
    """Runs a program outside the checkout, as a user's shell would, and returns what it prints."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY", "PYENV_V"))
    }
    done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def project():
    """The table `project` of `pyproject.toml`."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


def stated_version():
    """The version, from the one place where it stands."""
    match = re.search(r'^__version__ = "(.+)"$', (ROOT / "assay" / "__init__.py").read_text(encoding="utf-8"), re.M)
    expect(match is not None, "assay/__init__.py states no __version__")
    assert match is not None
    return match[1]


def supported_versions():
    """The versions of Python that the classifiers name, such as `3.11`."""
    prefix = "Programming Language :: Python :: "
    classifiers = project()["classifiers"]
    assert isinstance(classifiers, list)
    return [line.removeprefix(prefix) for line in classifiers if line.startswith(f"{prefix}3.")]


def find_python(version):
    """The program of a version of Python on this machine: on the path, or one that pyenv made; None without one."""
    name = f"python{version}"
    installed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [Path(path) for path in (shutil.which(name),) if path]
    candidates += sorted(installed.glob(f"{version}.*/bin/{name}"))
    return next((path for path in candidates if _is_python(path, version)), None)


def _is_python(path, version):
    """Whether a program is this version: what pyenv puts on the path may be switched off."""
    code = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", code], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def build(folder):
    """Builds the wheel from the sdist of a copy, since a build writes beside its sources; returns the wheel."""
    left_out = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, folder / "source", ignore=left_out)
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    run(sys.executable, "-c", code, folder=folder / "source")
    (sdist,) = folder.glob("assay-*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", folder, sdist, folder=folder)
    (wheel,) = folder.glob("assay-*.whl")
    return wheel


def check_metadata(text):
    """Checks what an installation says of itself against `pyproject.toml`."""
    table, metadata = project(), HeaderParser().parsestr(text)
    version = stated_version()
    expect(metadata["Version"] == version, f"the metadata says version {metadata['Version']}, the sources {version}")
    expect(metadata["Requires-Python"] == table["requires-python"], "Requires-Python is another one")
    expect(metadata["License-Expression"] == table["license"], "License-Expression is another one")
    expect(metadata.get_all("License-File") == ["LICENSE"], "the licence is not in it")
    expect(metadata.get_all("Classifier") == table["classifiers"], "the classifiers are other ones")
    expect(metadata["Description-Content-Type"] == "text/markdown", "the description is no Markdown")
    expect(_body(metadata).startswith("# Assay"), "the description is not the README")
    extras = set(metadata.get_all("Provides-Extra") or ())
    optional = table["optional-dependencies"]
    assert isinstance(optional, dict)
    expect(extras == optional.keys(), f"the extras are {sorted(extras)}")


def _body(metadata):
    body = metadata.get_payload()
    return body if isinstance(body, str) else ""


def check_installation(python, wheel, folder):
    """Installs a wheel without extras into a new environment and uses it."""
    run(python, "-m", "venv", folder / "environment", folder=folder)
    scripts = folder / "environment" / ("Scripts" if os.name == "nt" else "bin")
    own = scripts / "python"
    started = time.perf_counter()
    run(own, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel, folder=folder)
    yield f"installed in {time.perf_counter() - started:.0f} s"
    run(own, "-m", "pip", "check", folder=folder)
    code = "from importlib.metadata import distribution; print(distribution('assay').read_text('METADATA'))"
    check_metadata(run(own, "-c", code, folder=folder))
    yield "metadata"
    version = run(scripts / "assay", "--version", folder=folder)
    expect(version == f"assay, version {stated_version()}", f"assay --version prints {version}")
    run(own, "-c", "import assay", folder=folder)
    yield run(own, "-c", IMPORT_ALL.format(optional=tuple(MODULES_OF_EXTRAS)), folder=folder)
    demo = run(scripts / "assay", "demo", folder=folder)
    expect("faithfulness" in demo, f"assay demo prints\n{demo}")
    conversations = "conversation_id,role,content\na,user,When?\na,assistant,At 9.\na,user,When?\na,assistant,9.\n"
    (folder / "conversations.csv").write_text(conversations, encoding="utf-8")
    printed = run(scripts / "assay", "run", "conversations.csv", folder=folder)
    expect("effort:count=turns " in printed, f"a run of conversations prints\n{printed}")
    yield "assay demo, assay run"


def main():
    """Checks the wheel with the Pythons that are named, and says what it did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", action="append", help="a version such as 3.12; again for more")
    parser.add_argument("--all", action="store_true", help="every supported version that is here")
    options = parser.parse_args()
    versions = options.python or supported_versions()
    pythons = {version: path for version in versions if (path := find_python(version))}
    for version in versions:
        if version not in pythons:
            print(f"Python {version}: not on this machine, not checked")
    try:
        expect(bool(pythons), f"none of Python {', '.join(versions)} is on this machine")
        with tempfile.TemporaryDirectory() as name:
            wheel = build(Path(name))
            chosen = list(pythons.items())
            for version, python in chosen if options.python or options.all else chosen[-1:]:
                folder = Path(name) / version
                folder.mkdir()
                print(f"Python {version}: {', '.join(check_installation(python, wheel, folder))}", flush=True)
                shutil.rmtree(folder)
    except CheckError as error:
        sys.exit(f"the distributions are not fit for release: {error}")


if __name__ == "__main__":
    main()
