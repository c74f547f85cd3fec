"""Watch files with values that no file and no key can have: a message with the line, never a traceback."""

import pytest

from assay.errors import InputError
from assay.traces import load_watch

START = "source: otel:t.jsonl\npush: false\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (f"metric: rouge_l_precision\njudge: '{'9' * 300}'\n", "line 4, judge: no judge is called"),
        (f"metric: 'scorer:{'9' * 300}'\n", "a file that it names cannot be read"),
        ("metric: rouge_l_precision\nwindow: {a: {b: [1]}}\n", "line 4, window: is no length of time"),
    ],
)
def test_names_that_no_file_has_and_values_of_another_shape_are_refused(lines, message, tmp_path):
    file = tmp_path / "watch.yaml"
    file.write_text(START + lines)
    with pytest.raises(InputError, match=message):
        load_watch(file)
