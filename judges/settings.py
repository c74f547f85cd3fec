"""A judge's settings: one small YAML file per judge, so that `--judge qwen1.5b` works."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator, model_validator

from ..errors import UsageError
from ..value_messages import check_type
from .secrets import WITHHELD, Scrubber, recordable_parameters, recordable_url

RECORDED = {"recorded": True}
"""The validation context of settings that a store holds: what they name may have been uninstalled since."""
# The folder of a judge that learned from ratings, which `assay judges align` writes and `--judge FOLDER` takes: its
# settings, with what was learned under `aligned`; and by kind of question a map from what the judge says to what the
# ratings say.
JUDGE_FILE = "judge.yaml"
CALIBRATION_FILE = "calibration.yaml"
CALIBRATED = "calibrated"
"""What a judge may learn: a map of its probabilities."""
GGUF = "gguf:"
ENTAIL = "entail:"
PYTHON = "python:"  # before the name of a function that judges
_CONTEXT_TOKENS = 4096
_OF_ENTAILMENT = ("revision", "template", "yes", "window", "languages")
_HUB_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*/[\w.-]+")
_SECRET = re.compile(r"key|token$|secret|password|auth|header|cookie|bearer|credential", re.IGNORECASE)
_SET_BY_THE_JUDGE = frozenset(
    {"model", "messages", "api_base", "max_tokens", "response_format", "logprobs", "top_logprobs", "n", "stream"}
    | {"timeout", "num_retries", "max_retries", "drop_params"}
)
# How providers call the length of a reply and the number of replies, which a budget counts with; see `_plain`.
_LENGTH_OF_REPLY = frozenset(
    {"maxtokens", "maxcompletiontokens", "maxnewtokens", "maxoutputtokens", "maxtokenstosample", "maxgenlen"}
    | {"numpredict", "npredict", "n", "bestof", "candidatecount", "numreturnsequences", "numcompletions"}
)


def is_judge_folder(path: Path) -> bool:
    """Whether a path is a folder that `assay judges align` wrote; not where no file can have its name."""
    try:
        return (path / JUDGE_FILE).is_file()
    except (OSError, ValueError):
        return False


class AlignedJudgeRecord(BaseModel):
    """What `judge.yaml` says of what a judge learned."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    metric: str
    candidate: str
    # agreement with the ratings out of fold, as it was (`before`) and is (`after`, `low`, `high`), and how much that is
    # more (`gain`, `gain_low`, `gain_high`)
    spearman: dict[str, float | None] = {}
    answers: int = Field(default=0, ge=0)
    folder: str = ""  # where the folder is; filled in when it is loaded
    fingerprint: str = ""  # hash of the folder's other files; filled in when it is loaded

    @model_validator(mode="before")
    @classmethod
    def _check_candidate(cls, record: Any, info: ValidationInfo) -> Any:
        """Raises where a judge learned what is no longer learned, but for a run that is only read."""
        if not isinstance(record, dict):
            return record
        if info.context != RECORDED and ("rules" in record or record.get("candidate", CALIBRATED) != CALIBRATED):
            raise ValueError(
                "is of Assay 0.2, which also tried rules, prompts, rated examples, isotonic and beta maps; align the "
                "judge again with `assay judges align`, which calibrates it"
            )
        return {name: value for name, value in record.items() if name not in {"rules", "embedder", "shown"}}


def fingerprint_folder(folder: Path) -> str:
    """12 hexadecimal digits over the files of a judge's folder."""
    digest = hashlib.sha256()
    for file in (folder / JUDGE_FILE, folder / CALIBRATION_FILE):
        if file.is_file():
            digest.update(f"{file.relative_to(folder).as_posix()}\x1f".encode() + file.read_bytes() + b"\x1e")
    return digest.hexdigest()[:12]


class Price(BaseModel):
    """USD per million tokens. A model on your own machine costs 0; leave the price out where it is unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0, le=1e9)
    output: float = Field(ge=0, le=1e9)

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Returns the cost of one reply, in USD.

        Example:
            >>> Price(input=0.15, output=0.6).cost(tokens_in=2_000_000, tokens_out=1_000_000)
            0.9
        """
        return (tokens_in * self.input + tokens_out * self.output) / 1e6


class JudgeSettings(BaseModel):
    """How a judge is reached and what it can do.

    Attributes:
        model: A litellm model string (`openai/gpt-4o-mini`, `ollama/llama3.2`, ...), `gguf:PATH`, or `entail:` and the
            name of a model of the Hugging Face hub or a folder.
        served_as: The name in the cassette's key, where `model` says where a file lies.
        api_base: The address of the model's server; None for the provider's own.
        parameters: What goes to the model with every call, and into the cassette's key. Secrets belong in the
            provider's environment variable.
        max_tokens: The longest reply, in tokens, at most 10,000,000.
        structured: How the shape of a reply is asked for: `schema` (json_schema), `json` (JSON mode, the schema in the
            prompt) or `auto` (what litellm says the model can).
        decide: How typed questions reach the model: `single` (a chat model, one question per call), `listed` (a chat
            model, all questions in one call), `decisions` and `systemone` (a decision model, by one of the two
            protocols), or `auto` (by what is known of the model).
        reason: Whether a chat model gives a reason with its answer to a typed question: before it (`first`), behind it
            (`after`) or not at all (`none`). With reasons all questions are asked in one call (`listed`).
        logprobs: Whether the model gives the probabilities of its tokens.
        price: What the model costs; None where it is unknown.
        concurrency: Calls at once, at most (1 to 10,000). A model on this machine takes no more than its cores and
            memory allow.
        timeout: Seconds for one call, at most; a day or less.
        attempts: How often a call that failed for now (429, 5xx, a break, a time-out) is made, at most; 1 to 1000.
        wait: Seconds before the second attempt where the provider names none; twice as long before each further one. An
            hour or less.
        context_tokens: Tokens per slot of a `gguf:` model; of another the most that its server reads, where litellm
            does not know that (4096 counts as not said there).
        aligned: What the judge learned from a team's ratings, of a folder that `assay judges align` wrote.
        download: The address where the file of a `gguf:` model can be fetched; None where that is not known.
        revision: Of an `entail:` model, the commit or the name of the version that is loaded, part of the cassette's
            key; None for what is on this machine.
        template: What it reads: a text with `{document}` and `{claim}`, and `{eos}` for the token that ends a text;
            None for a pair of texts.
        yes: Its label that says that the document supports the claim, by name or number; None where the name tells.
        window: The tokens that it reads at once; a longer document is read in windows, of which the surest counts. None
            for 512, or what the model has room for.
        overlap: The tokens that two windows share.
        languages: The languages that it was made for, by code; empty where that is not known.

    Example:
        >>> JudgeSettings(model="gguf:models/qwen2.5-1.5b.gguf").identity
        'qwen2.5-1.5b'
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str
    served_as: str | None = None
    api_base: str | None = None
    parameters: dict[str, Any] = {"temperature": 0}
    max_tokens: int = Field(default=1000, ge=1, le=10_000_000)
    structured: Literal["auto", "schema", "json"] = "auto"
    decide: Literal["auto", "single", "listed", "decisions", "systemone", "entail"] = "auto"
    reason: Literal["none", "first", "after"] = "none"
    logprobs: bool = False
    price: Price | None = None
    concurrency: int = Field(default=16, ge=1, le=10_000)
    timeout: float = Field(default=120, gt=0, le=86_400)
    attempts: int = Field(default=5, ge=1, le=1000)
    wait: float = Field(default=0.5, ge=0, le=3600)
    context_tokens: int = Field(default=_CONTEXT_TOKENS, ge=256, le=10_000_000)
    download: str | None = None
    aligned: AlignedJudgeRecord | None = None
    revision: str | None = Field(default=None, min_length=1)
    template: str | None = None
    yes: str | None = None
    window: int | None = Field(default=None, ge=64, le=1_000_000)
    overlap: int = Field(default=64, ge=0, le=100_000)
    languages: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_entailment_model(cls, fields: Any, info: ValidationInfo) -> Any:
        """An entailment model has no parameters, costs nothing and gives probabilities."""
        if not isinstance(fields, dict):
            return fields
        if fields.get("without_logprobs") == "fail" and info.context != RECORDED:
            raise ValueError("without_logprobs is out: a reply without log probabilities counts as a plain verdict")
        fields = {name: value for name, value in fields.items() if name != "without_logprobs"}  # of stores of 0.2
        fields = {"yes" if name is True else name: value for name, value in fields.items()}  # `yes` is true in YAML
        if not str(fields.get("model", "")).startswith(ENTAIL):
            if wrong := [name for name in _OF_ENTAILMENT if fields.get(name)]:
                raise ValueError(f"{wrong[0]} is of an entailment model (`model: entail:ORG/NAME`) alone")
            return fields
        if fields.get("decide", "auto") not in {"auto", "entail"}:
            raise ValueError("an entailment model is asked in one way: leave `decide` out")
        if fields.get("reason", "none") != "none":
            raise ValueError("an entailment model gives no reason: leave `reason` out")
        defaults = {"parameters": {}, "price": {"input": 0, "output": 0}, "logprobs": True, "concurrency": 1}
        return defaults | {"yes": None} | fields | {"yes": None if fields.get("yes") is None else str(fields["yes"])}

    @field_validator("template")
    @classmethod
    def _has_both(cls, template: str | None) -> str | None:
        if template is not None and not ("{document}" in template and "{claim}" in template):
            raise ValueError("write {document} and {claim} where the two texts stand")
        return template

    @property
    def states_context(self) -> bool:
        """Whether `context_tokens` is how much the model reads, whatever litellm knows of it."""
        return self.model.startswith(GGUF) or self.context_tokens != _CONTEXT_TOKENS

    @field_validator("parameters")
    @classmethod
    def _no_secrets(cls, parameters: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        names = list(_names(parameters))
        if secret := [name for _, name in names if _SECRET.search(name)]:
            raise ValueError(
                f"{', '.join(secret)} would become part of the key of every recording, so that nobody with another one "
                "could replay it; set the provider's environment variable instead"
            )
        lengths = [within + name for within, name in names if _plain(name) in _LENGTH_OF_REPLY]
        if info.context == RECORDED:  # of a run of before they were refused, which is only read
            lengths.clear()
        if ours := sorted({*(parameters.keys() & _SET_BY_THE_JUDGE), *lengths}):
            cure = "; write `max_tokens: ...` beside `parameters` for the longest of its one reply" if lengths else ""
            words = "cannot be a parameter: the judge's own settings and questions say it"
            raise ValueError(f"{', '.join(ours)} {words}{cure}")
        return parameters

    @property
    def identity(self) -> str:
        """The model's name in cassettes and reports: the same on every machine."""
        if self.served_as:
            return self.served_as
        if self.model.startswith(ENTAIL):
            name = self.model.removeprefix(ENTAIL)
            return name if _HUB_NAME.fullmatch(name) else Path(name).name
        return Path(self.model.removeprefix(GGUF)).stem if self.model.startswith(GGUF) else self.model

    @property
    def label(self) -> str:
        """The judge's name in reports: the model's, and for a judge that learned from ratings what it learned."""
        return self.identity if self.aligned is None else f"{self.identity}+aligned.{self.aligned.fingerprint[:6]}"

    @property
    def recordable(self) -> "JudgeSettings":
        """These settings as they may be written: without what may be secret in the address and the parameters.

        Example:
            >>> address = "https://ann:pw@host/v1"
            >>> settings = JudgeSettings(model="openai/m", api_base=address, parameters={"user": "ann"})
            >>> settings.recordable.api_base, settings.recordable.parameters
            ('https://(withheld)@host/v1', {'user': '(withheld)'})
        """
        api_base = None if self.api_base is None else recordable_url(self.api_base)
        harmless = recordable_parameters(self.parameters)
        download = WITHHELD if self.download and {*"@?#"} & {*self.download} else self.download
        return self.model_copy(update={"api_base": api_base, "parameters": harmless, "download": download})

    @cached_property
    def scrubber(self) -> Scrubber:
        """Takes the secrets of these settings, and of the environment, out of what a provider says."""
        return Scrubber(self.api_base, self.parameters)

    @property
    def concurrent_samples(self) -> int:
        """How many samples to score side by side: a quarter more than calls, which so wait for no sample's scoring.

        No more than calls for a model on this machine: a sample's calls then come together and share their prefix.
        """
        return self.concurrency + (0 if self.model.startswith((GGUF, ENTAIL)) else self.concurrency // 4)

    def for_repeat(self, times: int) -> "JudgeSettings":
        """Returns these settings for asking everything again, with another seed, so that no earlier reply answers.

        Args:
            times: Which repeat it is; 0 for the settings as they are.
        """
        first_seed = self.parameters.get("seed", 0)
        seed = (first_seed if isinstance(first_seed, int) else 0) + times
        return self.with_changes(parameters={**self.parameters, "seed": seed}) if times else self

    def with_changes(self, **fields: Any) -> "JudgeSettings":
        """Returns these settings with some fields replaced.

        Raises:
            UsageError: A field is unknown, or its value is not valid.
        """
        try:
            return JudgeSettings.model_validate(self.model_dump() | fields)
        except ValidationError as error:
            from ..value_messages import describe_first_mistake

            raise UsageError(f"the judge {self.identity}: {describe_first_mistake(error)}") from error


def _names(parameters: Any, within: str = "") -> Iterator[tuple[str, str]]:
    """The names in parameters at any depth, each after those that it stands in: `("extra_body.", "top_k")`."""
    if isinstance(parameters, dict):
        for name, value in parameters.items():
            yield within, str(name)
            yield from _names(value, f"{within}{name}.")
    elif isinstance(parameters, list):
        for value in parameters:
            yield from _names(value, within)


def _plain(name: str) -> str:
    """A name without what providers write in different ways.

    Example:
        >>> _plain("maxOutputTokens"), _plain("max_output_tokens")
        ('maxoutputtokens', 'maxoutputtokens')
    """
    return name.replace("_", "").replace("-", "").casefold()


def bundled_judge_names() -> list[str]:
    """Returns the names of the bundled judges, sorted; `--judge` takes them beside model strings and YAML files."""
    return sorted(entry.name[:-5] for entry in resources.files(__package__).iterdir() if entry.name.endswith(".yaml"))


def judge_file_name(settings: JudgeSettings) -> str:
    """Returns a judge's name as it stands in the names of files: of a bundled judge its own, else the model's.

    Example:
        >>> judge_file_name(load_settings("qwen1.5b")), judge_file_name(JudgeSettings(model="openai/gpt-4o-mini"))
        ('qwen1.5b', 'openai-gpt-4o-mini')
    """
    return _bundled_models().get(settings.model, settings.identity.replace("/", "-"))


@cache
def _bundled_models() -> dict[str, str]:
    return {load_settings(name).model: name for name in bundled_judge_names()}


def load_settings(judge: str) -> JudgeSettings:
    """Returns the settings of a judge.

    Args:
        judge: A bundled judge's name, a path to a YAML file, a folder of `assay judges align`, `gguf:PATH`,
            `entail:MODEL`, or a litellm model string.

    Raises:
        InputError: The file cannot be read, or its settings are not valid.
        UsageError: It is a single word that is no bundled judge's name.

    Example:
        >>> load_settings("qwen1.5b").logprobs
        True
    """
    check_type("judge", judge, str, "the name of a model, a settings file or a folder of `assay judges align`")
    if judge.startswith(ENTAIL):
        judge = _bundled_models().get(judge, judge)
    if judge in bundled_judge_names():
        return _read(resources.files(__package__).joinpath(f"{judge}.yaml"), f"judges/{judge}.yaml")
    if is_judge_folder(Path(judge)):
        folder = Path(judge).resolve()
        settings = load_settings(str(folder / JUDGE_FILE))
        if settings.aligned is None:
            return settings
        places = {"folder": str(folder), "fingerprint": fingerprint_folder(folder)}
        return settings.with_changes(aligned=settings.aligned.model_dump() | places)
    if judge.endswith((".yaml", ".yml")):
        return _read(Path(judge), judge)
    if judge.startswith(GGUF):
        free = Price(input=0, output=0)
        return JudgeSettings(model=judge, structured="schema", logprobs=True, price=free, concurrency=4, timeout=600)
    if "/" not in judge and not judge.startswith(ENTAIL):
        raise UsageError(
            f"no judge is called {judge!r}; give one of {', '.join(bundled_judge_names())}, a settings file "
            "(NAME.yaml), gguf:PATH, entail:MODEL, or a litellm model string such as openai/gpt-4o-mini or "
            "ollama/llama3.2"
        )
    return JudgeSettings(model=judge)


def _read(file: Traversable, origin: str) -> JudgeSettings:
    from ..languages.yaml_file import parse_yaml
    from ..regular_files import read_text_file

    return parse_yaml(read_text_file(file, "the judge's settings"), JudgeSettings, origin)
