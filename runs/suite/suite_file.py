"""Reads a suite from its YAML file; what is wrong is told with line, key and the nearest right name."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from ...atomic_files import check_replaceable
from ...errors import InputError, UsageError
from ...eval_sets.sources import is_to_download
from ...languages.yaml_file import Place, load_yaml, validate_yaml
from ...metrics.catalogue import needs_judge
from ...name_suggestions import nearest_names, quote_names
from ...prompts import Prompts
from ...regular_files import kind_of_no_folder, read_text_file
from ...value_messages import check_type
from ..score.session import check_metrics
from ..score.set_profile import SetProfile
from .gates import NO_JUDGE, UNANSWERED
from .suite import SettingsFile, Suite, judge_identity

_DECIDE_WENT = "compare the run with the accepted one after the suite: `assay decide ACCEPTED RUN --gate`"

_Settings = TypeVar("_Settings", bound=SettingsFile)
Mistakes = Iterator[tuple[Place, object]]
"""Where in a file something is wrong, and what."""


def load_suite(path: Path) -> Suite:
    """Reads a suite and checks everything that can be checked before it runs: keys, metrics, judges, gates.

    Args:
        path: The YAML file.

    Raises:
        InputError: The file cannot be read or is no valid suite; the text names file, line, key and the nearest
            right name.
    """
    gone = dict.fromkeys(("decide", "gate: decide"), _DECIDE_WENT)
    return load_settings_file(path, "suite", Suite, _find_mistakes, gone)


def load_settings_file(
    path: Path,
    what: str,
    model: type[_Settings],
    find_mistakes: Callable[[_Settings], Mistakes],
    gone: Mapping[str, str],
) -> _Settings:
    """Reads a file of settings, and raises the first mistake in it with its line.

    Args:
        what: What file it is, such as `suite`.
        gone: By key that went, what to do instead.
    """
    check_type("path", path, Path, f"the path of a {what}'s file, as a pathlib.Path")
    document = load_yaml(read_text_file(path, f"the {what}"), str(path))
    added = {"name": path.stem, "folder": path.resolve().parent}
    settings = validate_yaml(document, model, added=added, gone=dict(gone))
    try:
        for place, problem in find_mistakes(settings):
            raise InputError(document.describe(place, problem))
        store = settings.store_place
        if isinstance(store, Path) and (kind := kind_of_no_folder(store)):
            problem = f"{store}: is {kind}, not a folder; name the folder of a store"
            raise InputError(document.describe(("store",), problem))
    except OSError as error:  # of a name that no file can have
        raise InputError(f"{path}: a file that it names cannot be read: {error.strerror or error}") from None
    return settings


def check_sets(suite: Suite, path: Path) -> None:
    """Reads the sets of a suite as its run does, and checks that the metrics can score a sample of them."""
    document = load_yaml(read_text_file(path, "the suite"), str(path))
    plan = suite.plan(suite.judge_names[0])
    profile, is_whole = SetProfile(suite.turns), True
    for number, (name, source) in enumerate(zip(suite.sets, plan.sets, strict=True)):
        try:
            if is_to_download(source):
                is_whole = False  # checking asks nobody
                continue
            samples = plan.model_copy(update={"sets": (source,)}).samples([] if suite.skip_bad else None, [])
            for _ in profile.observe(samples):
                pass
        except InputError as error:
            place: Place = ("sets", number)
            beside = "" if Path(source).is_absolute() else f" (looked for in {suite.folder} and among the bundled sets)"
            raise InputError(document.describe(place, f"{name} cannot be read{beside}: {error}")) from None
    if is_whole:
        try:
            check_metrics(plan, profile)
        except UsageError as error:
            raise InputError(document.describe(("metrics",), str(error))) from None


def _find_mistakes(suite: Suite) -> Mistakes:
    """The names that do not fit the others, and the files that cannot be read or written: before a judge is paid."""
    yield from _find_unknown_metrics_and_judges(suite)
    yield from _find_unfit_gates(suite)
    yield from _find_unusable_files(suite)


def _find_unknown_metrics_and_judges(suite: Suite) -> Mistakes:
    for number, metric in enumerate(suite.metrics):
        try:
            if needs_judge(metric) and not suite.judges:
                yield ("metrics", number), f"{metric} asks a judge; name one under `judges:`"
        except UsageError as error:
            yield ("metrics", number), error
    identities: dict[str, str] = {}
    for number, judge in enumerate(suite.judges):
        try:
            identity = judge_identity(suite.settings(judge))
        except (UsageError, InputError) as error:
            yield ("judges", number), error
            return
        if identity in identities:
            problem = f"{judge} and {identities[identity]} are both {identity}; give one its own name (`served_as:`)"
            yield ("judges", number), problem
        identities[identity] = judge


def _find_unfit_gates(suite: Suite) -> Mistakes:
    measured = suite.plan(NO_JUDGE).all_metrics
    for number, gate in enumerate(suite.gates):
        if gate in suite.gates[:number]:
            yield ("gates", number), f"is the same gate as gates.{suite.gates.index(gate)}; remove one of them"
        gate_metric: str | None = getattr(gate, "metric", None)
        if gate_metric is not None and gate_metric not in {*measured, UNANSWERED}:
            similar = nearest_names(gate_metric, measured)
            hint = f"did you mean {similar[0]}? " if similar else ""
            problem = f"{gate_metric} is not measured in this suite; {hint}The suite measures {quote_names(measured)}"
            yield ("gates", number, "metric"), problem
        if gate.judge is not None and gate.judge not in suite.judges:
            problem = f"{gate.judge} is no judge of this suite; its judges are {quote_names(suite.judges)}"
            yield ("gates", number, "judge"), problem


def _find_unusable_files(suite: Suite) -> Mistakes:
    if suite.prompts is not None:
        try:
            Prompts.from_folder(suite.path(suite.prompts))
        except InputError as error:
            yield ("prompts",), error
    for key, name in suite.outputs.model_dump(by_alias=True).items():
        if name is None:
            continue
        target = suite.folder / Path(name).expanduser()  # not resolved: what /dev/stdout is may be a file
        if key != "site":
            try:
                check_replaceable(target, f"`{key}`")
            except UsageError as error:
                yield ("outputs", key), error
        elif kind := kind_of_no_folder(target):
            yield ("outputs", key), f"{target}: is {kind}, not a folder; name a folder, or leave out `{key}`"
