"""A real tracking server of MLflow, started once."""

import pytest
from mlflow_server import MlflowProcess, MlflowProxy, find_mlflow


@pytest.fixture(scope="session")
def mlflow_host(tmp_path_factory):
    """The host and port of the server."""
    if find_mlflow() is None:
        pytest.skip("needs `mlflow server`: pip install mlflow, or set ASSAY_MLFLOW")
    server = MlflowProcess(tmp_path_factory.mktemp("mlflow"))
    yield server.host
    server.stop()


@pytest.fixture
def proxy(mlflow_host):
    """A proxy before the server that fails as its script says."""
    with MlflowProxy(mlflow_host) as proxy:
        yield proxy
