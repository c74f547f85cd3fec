"""What the client of Langfuse does besides the calls that are asked for: nothing."""

import subprocess
import sys

import pytest
from network_guard import GUARD

PROGRAM = """
import threading
from assay.traces import TraceAddress, TraceOrigin, TraceScore
from assay.traces.langfuse.sink import LangfuseSink
from assay.traces.langfuse.source import LangfuseSource

address = TraceAddress.parse("langfuse://{host}/")
(sample,) = LangfuseSource(address).read(None, None)
origin = TraceOrigin.of_sample(sample)
values = dict(value=1.0, low=0, high=1, higher_is_better=True, label="", reason="", judge="", prompts="")
values |= dict(run="r", sample="t1", at="2026-11-20T11:00:00+00:00")
score = TraceScore(key="1" * 32, origin=origin, name="m", **values)
assert [result.state for result in LangfuseSink(address).write([score])] == ["written"]
assert [thread.name for thread in threading.enumerate()] == ["MainThread"], threading.enumerate()
print(attempts)
"""


@pytest.mark.extras("langfuse")
def test_no_thread_begins_and_no_other_machine_is_reached(server):
    server.add_trace("t1", "2026-11-20T10:00:00Z", input="Is it free?", output="Yes.")
    program = GUARD + PROGRAM.format(host=server.host)
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
    assert done.stderr == ""
