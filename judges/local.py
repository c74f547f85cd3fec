"""A model file on this machine, served in-process by llama.cpp (extra `local`) on a free loopback port."""

import socket
from pathlib import Path
from typing import Any

from ..errors import AssayError, InputError
from ..installation import require_extra
from ..value_messages import quote_word
from .entailment import find_folder
from .settings import ENTAIL, GGUF, JudgeSettings

_MOST_SLOTS = 4  # with more, conversations starve each other on the cores of one machine
_FEWEST_SLOTS = 2  # one is read while the other is written
_PROMPT_CACHE_MIB = 256  # prompts of earlier conversations; llama.cpp's own default is 8 GiB


def choose_slots(wanted: int) -> int:
    """Chooses how many conversations a model file serves at once: as many as this machine has cores, from 2 to 4."""
    with require_extra("local", "a gguf: judge"):
        return min(wanted, _MOST_SLOTS, max(_FEWEST_SLOTS, _usable_cores()))


def has_model_file(settings: JudgeSettings) -> bool:
    """Whether a judge's model is on this machine, or needs not be."""
    if settings.model.startswith(ENTAIL):
        try:
            return find_folder(settings).is_dir()
        except AssayError:  # also where the extra is not installed
            return False
    return not settings.model.startswith(GGUF) or Path(settings.model.removeprefix(GGUF)).expanduser().is_file()


class LocalServer:
    """Serves one GGUF file in the OpenAI protocol."""

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
        params.cache_ram_mib = _PROMPT_CACHE_MIB
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
        f"{file}: the judge's model is not on this machine. Fetch it "
        f"(`curl -L --create-dirs -o {quote_word(file)} {quote_word(download)}`), "
        "or name another judge, hosted (--judge openai/gpt-4o-mini) or of Ollama (--judge ollama/llama3.2). Its "
        "recorded replies to the bundled sets need no model: `assay demo`"
    )
