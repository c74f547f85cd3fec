"""What all tests of tools start with: no setting of this machine, and no waiting."""

import pytest
from api_server import Webhook

PHOENIX = ("API_KEY", "CLIENT_HEADERS", "ENDPOINT", "COLLECTOR_ENDPOINT", "BASE_URL", "HOST", "PORT")
MLFLOW = ("URI", "TOKEN", "USERNAME")
OTHERS = ("LANGFUSE_BASE_URL", "LANGFUSE_HOST", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy")


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """The seconds that were waited, which no test really waits."""
    for name in (*(f"PHOENIX_{name}" for name in PHOENIX), *(f"MLFLOW_TRACKING_{name}" for name in MLFLOW), *OTHERS):
        monkeypatch.delenv(name, raising=False)
    waited = []
    monkeypatch.setattr("tenacity.nap.sleep", waited.append)
    return waited


@pytest.fixture
def webhook():
    """A web server that gets alarms."""
    with Webhook() as server:
        yield server
