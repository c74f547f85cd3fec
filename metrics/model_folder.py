"""Where a transformers model is on this machine: metrics load what is there, and download nothing."""

from pathlib import Path

from ..errors import UsageError


def model_folder(model: str) -> str:
    """The folder of a model."""
    if Path(model).expanduser().is_dir():
        return str(Path(model).expanduser())
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return str(snapshot_download(model, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise UsageError(f"the model {model} is not on this machine; get it with: hf download {model}") from error
