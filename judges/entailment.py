"""Entailment models as judges: classifiers that say how probably a text supports a claim, run in this process.

A model is a folder, or one of the Hugging Face hub that is on this machine already; nothing is fetched while a run
lasts, and code that comes with a model is never run.
"""

import hashlib
import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..installation import require_extra
from ..untrusted import without_unseen
from ..value_messages import join_words
from .question import RawReply, Support
from .settings import ENTAIL, JudgeSettings

_NEEDED_FILES = ("*.json", "*.safetensors", "*.model", "vocab.txt", "merges.txt")
_NEEDS_CODE = frozenset({"vectara/hallucination_evaluation_model"})
_LABELS_OF_SUPPORT = frozenset(
    {"entailment", "entails", "entailed", "supported", "supports", "support", "yes", "consistent", "attributable"}
)
_WINDOW = 512  # tokens, where the settings say none
_LARGEST_LIMIT = 100_000  # tokens; a tokenizer that states more has no limit
_FEWEST_TOKENS = 16  # of a document beside the claim
_TOKENS_PER_BATCH = 8192  # with the padding
_AROUND = 200  # bytes of a template
_DECIMALS = 4
_PLACE = re.compile(r"\{(document|claim|eos)\}")


Encoded = Mapping[str, list[int]]
"""A window of a document beside a claim, as the model reads it."""
Window = tuple[int, Encoded]
"""The number of the claim, and the window."""


def find_folder(settings: JudgeSettings) -> Path:
    """Finds the folder of a model."""
    name = settings.model.removeprefix(ENTAIL)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    check_name(name)
    with require_extra("entail", "an entail: judge"):
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import LocalEntryNotFoundError
    try:
        return Path(snapshot_download(name, revision=settings.revision, local_files_only=True))
    except LocalEntryNotFoundError as error:
        revision = ("--revision", settings.revision) if settings.revision else ()
        raise InputError(
            f"{settings.model}: the model is not on this machine; get it with: "
            f"{join_words('assay', 'judges', 'get', settings.model, *revision)}"
        ) from error


def check_name(name: str) -> None:
    """Checks that a name can be one of the hub, whose model needs no code of its own."""
    if name in _NEEDS_CODE:
        raise UsageError(_needs_code(name))
    if not re.fullmatch(r"[\w.-]{1,96}/[\w.-]{1,96}", name):
        raise InputError(f"{ENTAIL}{name}: there is no such folder; name one, or a model of the hub (ORG/NAME)")


def _needs_code(name: str) -> str:
    return (
        f"{ENTAIL}{name}: this model needs code that comes with it (remote code), which Assay never runs; take a model "
        "of a class of transformers, such as entail:yaxili96/FactCG-DeBERTa-v3-Large (assay judges list)"
    )


@lru_cache(maxsize=8)
def pinned_revision(settings_model: str, revision: str | None) -> str:
    """The revision that a model's replies are recorded under: as the settings say, else that of its files here.

    Of a model of the hub it is the commit; of a folder a hash over its files.
    """
    if revision is not None:
        return revision
    folder = find_folder(JudgeSettings(model=settings_model))
    if not Path(settings_model.removeprefix(ENTAIL)).expanduser().is_dir():
        return folder.name
    digest = hashlib.sha256()
    for file in sorted(file for file in folder.iterdir() if file.suffix in {".json", ".safetensors", ".model", ".txt"}):
        with file.open("rb") as content:
            digest.update(f"{file.name} {hashlib.file_digest(content, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()[:40]


class EntailmentModel:
    """A sequence classifier with its tokenizer, and how texts are put to it."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings
        folder = find_folder(settings)
        config = _read_config(folder, settings.model)
        with require_extra("entail", "an entail: judge"):
            import torch
            from transformers import AutoModelForSequenceClassification, AutoTokenizer
            from transformers.utils import logging
        shows_progress = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, **options)
            model, loaded = AutoModelForSequenceClassification.from_pretrained(
                folder, use_safetensors=True, output_loading_info=True, dtype=torch.float32, **options
            )
        except Exception as error:  # of three libraries, which have no one error for a file that cannot be read
            raise InputError(f"{settings.model}: the model cannot be loaded: {_first_line(error)}") from error
        finally:
            if shows_progress:
                logging.enable_progress_bar()
        if missing := sorted(loaded["missing_keys"]):
            raise InputError(
                f"{settings.model}: the weights lack {', '.join(missing[:3])}: it is no classifier that was trained to "
                "say whether a text supports a claim"
            )
        if not self._tokenizer.is_fast:
            raise InputError(f"{settings.model}: its tokenizer has no fast form, so that no windows can be cut")
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._model: Any = model.eval().to(self._device)
        self._torch: Any = torch
        self._label = find_label(model.config.id2label, settings)
        self._window = self._window_of(config)
        self._special = [token for token in self._tokenizer.all_special_tokens if token]

    def _window_of(self, config: dict[str, Any]) -> int:
        """The tokens that the model reads at once: as the settings say, within what it has positions for."""
        limits = [self._tokenizer.model_max_length] if "deberta" not in str(config.get("model_type")) else []
        if limits and isinstance(most := config.get("max_position_embeddings"), int):
            limits.append(most if config["model_type"] == "bert" else most - 2)
        limit = min([limit for limit in limits if limit < _LARGEST_LIMIT], default=None)
        if self._settings.window is None:
            return min(_WINDOW, limit or _WINDOW)
        if limit is not None and self._settings.window > limit:
            raise UsageError(f"{self._settings.model}: the model reads {limit:,} tokens at once; write window: {limit}")
        return self._settings.window

    def judge(self, asked: Support) -> tuple[dict[str, float | None], int]:
        """The probability that any window of any passage supports each claim, and how many tokens were read.

        A claim that leaves no room for a document in the window has None.
        """
        probabilities: dict[int, float] = {}
        windows = [*self._windows(asked)]
        for batch in _batches(windows):
            classified = self._classify([encoded for _, encoded in batch])
            for (number, _), probability in zip(batch, classified, strict=True):
                so_far = probabilities.get(number, 0.0)
                probabilities[number] = probability if math.isnan(probability) else max(so_far, probability)
        too_long = {
            number for number, (_, claim) in enumerate(asked.claims) if self._room(self._one_line(claim)) is None
        }
        support = {
            name: None if number in too_long else round(probabilities.get(number, 0.0), _DECIMALS)
            for number, (name, _) in enumerate(asked.claims)
        }
        return support, sum(len(encoded["input_ids"]) for _, encoded in windows)

    def _clean(self, text: str) -> str:
        """A text without what no reader sees, and without the tokens that have a meaning to the model."""
        text = without_unseen(text)
        for token in self._special:
            text = text.replace(token, " ")
        return text

    def _one_line(self, claim: str) -> str:
        return " ".join(self._clean(claim).split())

    def _windows(self, asked: Support) -> Iterator[Window]:
        passages = [passage for passage in map(self._clean, asked.passages) if passage.strip()]
        places = [
            self._tokenizer(passage, add_special_tokens=False, return_offsets_mapping=True, verbose=False)[
                "offset_mapping"
            ]
            for passage in passages
        ]
        for number, (_, said) in enumerate(asked.claims):
            claim = self._one_line(said)
            room = self._room(claim)
            if room is None:
                continue
            for passage, offsets in zip(passages, places, strict=True):
                for start, end in cut_windows(len(offsets), room, self._settings.overlap):
                    yield number, self._encode(passage[offsets[start][0] : offsets[end - 1][1]], claim)

    def _room(self, claim: str) -> int | None:
        """The tokens of a document that fit beside a claim; None where there are too few."""
        room = self._window - len(self._encode("", claim)["input_ids"]) - 2  # a cut may make a token more at either end
        return room if room >= _FEWEST_TOKENS else None

    def _encode(self, document: str, claim: str) -> Encoded:
        template = self._settings.template
        texts: tuple[str, ...] = (document, claim)
        if template is not None:
            values = {"document": document, "claim": claim, "eos": self._tokenizer.eos_token or ""}
            texts = (_PLACE.sub(lambda place: values[place[1]], template),)
        encoded: Encoded = self._tokenizer(*texts, verbose=False)
        return encoded

    def _classify(self, batch: Sequence[Encoded]) -> list[float]:
        torch = self._torch
        inputs = self._tokenizer.pad(batch, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            logits = self._model(**inputs).logits
        probabilities: list[float] = torch.softmax(logits.double(), dim=1)[:, self._label].tolist()
        return probabilities


def cut_windows(tokens: int, room: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Cuts a document into windows, of which each shares `overlap` tokens with the one before: from which to which.

    Example:
        >>> list(cut_windows(25, 10, 4)), list(cut_windows(7, 10, 4))
        ([(0, 10), (6, 16), (12, 22), (18, 25)], [(0, 7)])
    """
    step = room - min(overlap, room // 2)
    starts = [start for start in range(0, tokens, step) if not start or start + room - step < tokens]
    yield from ((start, min(start + room, tokens)) for start in starts)


def _batches(windows: Sequence[Window]) -> Iterator[list[Window]]:
    """The windows, the longest first, in batches of a bounded size with their padding."""
    batch: list[Window] = []
    for window in sorted(windows, key=lambda window: len(window[1]["input_ids"]), reverse=True):
        if batch and len(batch[0][1]["input_ids"]) * (len(batch) + 1) > _TOKENS_PER_BATCH:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def find_label(names: dict[int, str], settings: JudgeSettings) -> int:
    """Finds the label that says "supported": that of the settings, by its name or number, or one known by its name."""
    labels = {str(name).casefold(): number for number, name in names.items()}
    shown = ", ".join(f"{number}: {name}" for number, name in names.items())
    if settings.yes is not None:
        wanted = settings.yes.casefold()
        number = labels.get(wanted, int(wanted) if wanted.isdecimal() else -1)
        if len(names) > 1 and number in names:
            return number
        raise UsageError(f"{settings.model}: the model has no label {settings.yes!r} (`yes`); its labels are {shown}")
    known = [labels[name] for name in labels.keys() & _LABELS_OF_SUPPORT]
    if len(names) < 2 or len(known) != 1:
        raise UsageError(
            f"{settings.model}: which label says that a text supports a claim is not known; its labels are {shown}. "
            "Name it in a settings file (`yes: LABEL`, beside `model`)"
        )
    return known[0]


def _read_config(folder: Path, model: str) -> dict[str, Any]:
    """The model's configuration, before anything of it is loaded."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{model}: {folder / 'config.json'} cannot be read: {error}") from error
    if "auto_map" in config:
        raise UsageError(_needs_code(model.removeprefix(ENTAIL)))
    if config.get("is_encoder_decoder"):
        raise UsageError(f"{model}: this is a model that writes text, and no classifier; take one that is")
    if not any(folder.glob("*.safetensors")):
        raise InputError(f"{model}: {folder} has no weights in safetensors, the only format that Assay loads")
    return dict(config)


def _first_line(error: Exception) -> str:
    return next((line for line in map(str.strip, str(error).splitlines()) if line), type(error).__name__)


@lru_cache(maxsize=1)
def _load(settings: str) -> EntailmentModel:
    return EntailmentModel(JudgeSettings.model_validate_json(settings))


def classify(settings: JudgeSettings, asked: Support) -> RawReply:
    """Asks a model once, about all claims; its reply is JSON, so that it is recorded and replayed as any."""
    model = _load(settings.model_dump_json(include={"model", "revision", "template", "yes", "window", "overlap"}))
    started = time.perf_counter()
    support, tokens = model.judge(asked)
    seconds = time.perf_counter() - started
    return RawReply(settings.identity, json.dumps({"support": support}), tokens_in=tokens, usd=0.0, seconds=seconds)


def most_tokens_in(asked: Support) -> int:
    """The most tokens that a model reads for claims: each beside all passages, whose windows share at most a half."""
    passages = sum(len(passage.encode("utf-8", "surrogatepass")) for passage in asked.passages)
    claims = [len(claim.encode("utf-8", "surrogatepass")) + _AROUND for _, claim in asked.claims]
    windows = 1 + 2 * passages // _FEWEST_TOKENS
    return sum(2 * passages + windows * claim for claim in claims)


def find_download(settings: JudgeSettings) -> tuple[str, str, int]:
    """Asks the hub how large a model is. Checks before anything is fetched that it can be a judge here.

    Returns:
        Its name, its revision and the bytes of its files.
    """
    name = settings.model.removeprefix(ENTAIL)
    check_name(name)
    with require_extra("entail", "an entail: judge"):
        from fnmatch import fnmatch

        from huggingface_hub import HfApi
    try:
        info: Any = HfApi().model_info(name, revision=settings.revision, files_metadata=True)
    except Exception as error:  # of the hub's library and of two below it
        raise InputError(f"{settings.model}: the hub does not tell of it: {_first_line(error)}") from error
    if "auto_map" in (info.config or {}):
        raise UsageError(_needs_code(name))
    files = {file.rfilename: file.size or 0 for file in info.siblings or []}
    if not any(file.endswith(".safetensors") for file in files):
        raise InputError(f"{settings.model}: it has no weights in safetensors, the only format that Assay loads")
    size = sum(size for file, size in files.items() if any(fnmatch(file, pattern) for pattern in _NEEDED_FILES))
    return name, str(info.sha), size


def download(name: str, revision: str) -> Path:
    """Fetches a model into the hub's own cache on this machine."""
    with require_extra("entail", "an entail: judge"):
        from huggingface_hub import snapshot_download
    return Path(snapshot_download(name, revision=revision, allow_patterns=list(_NEEDED_FILES)))
