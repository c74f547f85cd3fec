"""What the client of Opik does besides the calls that are asked for: nothing, and it reports to nobody."""

import os
import subprocess
import sys

import pytest
from network_guard import GUARD
from opik_server import OpikServer

PROGRAM = """
import os, threading
from assay.traces import TraceAddress, TraceOrigin, TraceScore
from assay.traces.opik.sink import OpikSink
from assay.traces.opik.source import OpikSource

address = TraceAddress.parse("opik://{host}/default/support%20bot")
(sample,) = OpikSource(address).read(None, None, {{}})
origin = TraceOrigin.of_sample(sample)
values = dict(value=1.0, low=0, high=1, higher_is_better=True, label="", reason="", link="", judge="", prompts="")
values |= dict(run="r", sample="t1", at="2026-11-20T11:00:00+00:00")
score = TraceScore(key="1" * 32, origin=origin, name="m", **values)
assert [result.state for result in OpikSink(address).write([score])] == ["written"]
assert [thread.name for thread in threading.enumerate()] == ["MainThread"], threading.enumerate()
import logging, sentry_sdk
assert not sentry_sdk.get_client().is_active()
logging.getLogger("opik").error("an error that nobody is told of")
assert "OPIK_SENTRY_ENABLE" not in os.environ
print(attempts)
"""


@pytest.mark.slow  # the package loads for seconds
@pytest.mark.extras("opik")
def test_no_thread_begins_and_no_other_machine_is_reached(server: OpikServer) -> None:
    server.add_trace(1, "2026-11-20T10:00:00Z", input="Is it free?", output="Yes.")
    program = GUARD + PROGRAM.format(host=server.host)
    # opik itself reports nothing where it is tested, so this must not look like a test
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
