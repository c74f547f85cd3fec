"""Which column becomes which field, and what becomes of all others: languages, systems, metadata."""

import subprocess
import sys

HEAVY = "datasets pandas pyarrow scipy py3langid numpy litellm torch rapidfuzz"
PROGRAM = f"""
import sys
import assay.eval_sets
print(*(name for name in {HEAVY.split()} if name in sys.modules))
assert assay.eval_sets.load_set("helpdesk_nl")
print(*(name for name in {HEAVY.split()} if name in sys.modules))
"""


def test_nothing_heavy_is_loaded_to_import_or_to_read_a_set_that_names_its_language():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
