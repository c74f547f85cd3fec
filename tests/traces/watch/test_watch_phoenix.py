"""`assay watch` on a real Phoenix: traces become answers, scores become annotations, annotations become ratings."""

from datetime import UTC, datetime, timedelta

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.extras, pytest.mark.timeout(300)]

PROJECT = "watched bot"
WATCH = """\
source: {address}
name: bot
metric: rouge_l_precision
sample: {{share: 0.5}}
segments: [language, model, prompt_version]
bounds: [{{bad_share: 0.2}}]
"""


def test_traces_are_judged_and_their_scores_come_back_once(assay, tmp_path, phoenix_server):
    begin = datetime.now(UTC) - timedelta(minutes=30)
    traces = phoenix_server.fill(PROJECT, 24, begin=begin)
    (tmp_path / "watch.yaml").write_text(WATCH.format(address=phoenix_server.address(PROJECT)))
    first = assay("watch", "watch.yaml", "--once", "--json").json
    step = first["step"]
    assert (step["pulled"], step["judged"], step["pushed"], first["problems"]) == (24, 12, 12, [])
    counts = phoenix_server.count_annotations(PROJECT)
    assert {name for _, name, _ in counts} == {"rouge_l_precision"}
    assert set(counts.values()) == {1}
    assert len(counts) == 12
    judged = {trace for trace, _, _ in counts}
    assert judged < set(traces)
    phoenix_server.fill(PROJECT, 6, begin=datetime.now(UTC) - timedelta(minutes=1), first=24)
    step = assay("watch", "watch.yaml", "--once", "--json").json["step"]
    assert (step["pulled"], step["judged"], step["pushed"]) == (6, 3, 3)
    counts = phoenix_server.count_annotations(PROJECT)
    assert (len(counts), set(counts.values())) == (15, {1})


def test_a_project_that_is_not_there_is_said(assay, tmp_path, phoenix_server):
    (tmp_path / "watch.yaml").write_text(WATCH.format(address=phoenix_server.address("no such project")))
    done = assay("watch", "watch.yaml", "--once")
    assert done.code in {1, 2}
    assert "no such project" in done.err
