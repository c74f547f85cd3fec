"""A model file on this machine, served in-process by llama.cpp (extra `local`) on a free loopback port."""

import socket
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..installation import require_extra


class LocalServer:
    """Serves one GGUF file in the OpenAI protocol.

    Args:
        path: The model file.
        slots: How many conversations it serves at once.
        context_tokens: The longest of them, in tokens.
        download: Where the file can be downloaded, for the message; None where that is unknown.

    Attributes:
        api_base: Where it is served.

    Raises:
        InputError: There is no such file.
        UsageError: The extra `local` is not installed.
    """

    def __init__(self, path: str, slots: int, context_tokens: int, download: str | None = None) -> None:
        file = Path(path).expanduser()
        if not file.is_file():
            raise InputError(_how_to_get(file, download))
        with require_extra("local", "a gguf: judge"):
            from xllamacpp import CommonParams, Server
        params = CommonParams()
        params.model.path = str(file)
        params.n_parallel = slots
        params.n_ctx = slots * context_tokens
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _usable_cores()
        params.hostnames = ["127.0.0.1"]
        params.port = _free_port()
        params.verbosity = 0
        params.warmup = False
        self._server: Any = Server(params)
        self.api_base = f"http://127.0.0.1:{params.port}/v1"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _usable_cores() -> int:
    """The cores that this process may use: fewer than the machine has in a container, where the system can tell."""
    import psutil

    process = psutil.Process()
    usable = process.cpu_affinity() if hasattr(process, "cpu_affinity") else None  # macOS has none
    return len(usable) if usable else psutil.cpu_count() or 1


def _how_to_get(file: Path, download: str | None) -> str:
    """Says how to get a model file that is not there, or what to use instead."""
    if download is None:
        return f"{file}: there is no such model file; put the GGUF file there, or correct the judge's `model`"
    return (
        f"{file}: the judge's model is not on this machine. Fetch it (`curl -L --create-dirs -o '{file}' {download}`), "
        "or name another judge, hosted (--judge openai/gpt-4o-mini) or of Ollama (--judge ollama/llama3.2). Its "
        "recorded replies to the bundled sets need no model: `assay demo`"
    )
