"""A package that is not Assay's registers a metric and a language pack; the command line uses them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from noted_sets import write_rows
from openai_server import Answer

FILES = {
    "pyproject.toml": """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"

[project]
name = "frisian-support"
version = "1.0"

[project.entry-points."assay.metrics"]
word_count = "frisian_support:WordCount"

[project.entry-points."assay.languages"]
fy = "frisian_support.fy"

[tool.setuptools]
packages = ["frisian_support"]

[tool.setuptools.package-data]
frisian_support = ["fy/*.yaml"]
""",
    "frisian_support/__init__.py": '''
from assay.metrics import ComputedMetric
from assay.metrics.score import scored


class WordCount(ComputedMetric):
    """Counts words."""

    name = "word_count"
    range = (0.0, None)

    def compute(self, sample):
        return scored(float(len(sample.response.split())), "counted")
''',
    "frisian_support/fy/language.yaml": 'name: Frisian\nyes_no: [Ja, Nee]\ndecimal_mark: ","\n',
    "frisian_support/fy/declined.yaml": "statement: It andert net.\ndeclines: ['\\bik wit it net\\b']\nbeside: []\n",
}
REQUIRED_SECTION = Path(__file__).parents[2] / "languages" / "en" / "sentences.yaml"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder where pip installed the package, built from its sources."""
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for name, text in FILES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    (source / "frisian_support/fy/sentences.yaml").write_bytes(REQUIRED_SECTION.read_bytes())
    options = ("-q", "--no-deps", "--no-build-isolation", "--no-index", "--target", site)
    command = [sys.executable, "-m", "pip", "install", *options, source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return site


@pytest.mark.extras  # it is installed with pip
def test_assay_uses_what_another_package_registers(site, tmp_path, judge_file, openai_server):
    """Of two answers the second declines, which only the Frisian pack knows; the judge says yes to both."""

    def type_assay(*words, path=str(site)):
        paths = [path, *filter(None, [os.environ.get("PYTHONPATH")])]
        command = [sys.executable, "-m", "assay", *map(str, words)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    openai_server.script = lambda _: Answer(text="Yes")
    rows = [
        {"id": "a", "language": "fy", "user_input": "Wêr?", "response": "By Ferlof."},
        {"id": "b", "language": "fy", "user_input": "Wêr?", "response": "Ik wit it net."},
    ]
    samples = write_rows(tmp_path / "fy.jsonl", rows)
    judge = judge_file(decide="single")
    metrics = "word_count,predicate:It is polite"
    judged = type_assay("run", samples, "--metrics", metrics, "--judge", judge, "--json")
    assert judged.returncode == 0, judged.stderr
    means = {name: metric["mean"] for name, metric in json.loads(judged.stdout)["metrics"].items()}
    assert means["word_count"] == 3.0, "2 and 4 words"
    assert means["predicate:It is polite"] == 1.0
    assert len(openai_server.requests) == 2

    unjudged = type_assay("run", samples, "--metrics", "declined", "--json")
    assert unjudged.returncode == 0, unjudged.stderr
    assert json.loads(unjudged.stdout)["metrics"]["declined"]["mean"] == 0.5
    assert "word_count" in type_assay("metrics").stdout

    # without the package: what is stored can be read
    listed = json.loads(type_assay("show", "runs", "--json", path="").stdout)
    assert [run["metrics"] for run in listed["runs"]] == [["declined"], ["word_count", "predicate:It is polite"]]
