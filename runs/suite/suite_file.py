"""Reads a suite from its YAML file; what is wrong is told with line, key and the nearest right name."""

from pathlib import Path

from ...atomic_files import check_replaceable
from ...errors import InputError, UsageError
from ...eval_sets.sources import is_to_download
from ...languages.yaml_file import Place, YAMLDocument, load_yaml, validate_yaml
from ...metrics.catalogue import needs_judge
from ...name_suggestions import nearest_names, quote_names
from ...prompts import Prompts
from ...regular_files import kind_of_no_folder, read_text_file
from ...value_messages import check_type
from ..score.session import check_metrics
from ..score.set_profile import SetProfile
from .gates import NO_JUDGE, UNANSWERED
from .suite import Suite, judge_identity

_DECIDE_WENT = "compare the run with the accepted one after the suite: `assay decide ACCEPTED RUN --gate`"


def load_suite(path: Path) -> Suite:
    """Reads a suite and checks everything that can be checked before it runs: keys, metrics, judges, gates.

    Args:
        path: The YAML file.

    Raises:
        InputError: The file cannot be read or is no valid suite; the text names file, line, key and the nearest
            right name.
    """
    check_type("path", path, Path, "the path of a suite's file, as a pathlib.Path")
    document = _read_document(path)
    suite = validate_yaml(
        document,
        Suite,
        added={"name": path.stem, "folder": path.resolve().parent},
        gone=dict.fromkeys(("decide", "gate: decide"), _DECIDE_WENT),
    )
    _check_names(suite, document)
    _check_prompts(suite, document)
    _check_store(suite, document)
    _check_outputs(suite, document)
    return suite


def check_sets(suite: Suite, path: Path) -> None:
    """Reads the sets of a suite as its run does, and checks that the metrics can score a sample of them."""
    document, plan = _read_document(path), suite.plan(suite.judge_names[0])
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


def _read_document(path: Path) -> YAMLDocument:
    return load_yaml(read_text_file(path, "the suite"), str(path))


def _check_names(suite: Suite, document: YAMLDocument) -> None:
    def invalid(place: Place, problem: str) -> InputError:
        return InputError(document.describe(place, problem))

    for number, metric in enumerate(suite.metrics):
        try:
            asks_judge = needs_judge(metric)
        except UsageError as error:
            raise invalid(("metrics", number), str(error)) from None
        if asks_judge and not suite.judges:
            raise invalid(("metrics", number), f"{metric} asks a judge; name one under `judges:`")
    identities: dict[str, str] = {}
    for number, judge in enumerate(suite.judges):
        try:
            identity = judge_identity(suite.settings(judge))
        except (UsageError, InputError) as error:
            raise invalid(("judges", number), str(error)) from None
        if identity in identities:
            problem = f"{judge} and {identities[identity]} are both {identity}; give one its own name (`served_as:`)"
            raise invalid(("judges", number), problem)
        identities[identity] = judge
    measured = suite.plan(NO_JUDGE).all_metrics
    for number, gate in enumerate(suite.gates):
        if gate in suite.gates[:number]:
            raise invalid(("gates", number), f"is the same gate as gates.{suite.gates.index(gate)}; remove one of them")
        gate_metric: str | None = getattr(gate, "metric", None)
        if gate_metric is not None and gate_metric not in {*measured, UNANSWERED}:
            similar = nearest_names(gate_metric, measured)
            hint = f"did you mean {similar[0]}? " if similar else ""
            raise invalid(
                ("gates", number, "metric"),
                f"{gate_metric} is not measured in this suite; {hint}The suite measures {quote_names(measured)}",
            )
        if gate.judge is not None and gate.judge not in suite.judges:
            raise invalid(
                ("gates", number, "judge"),
                f"{gate.judge} is no judge of this suite; its judges are {quote_names(suite.judges)}",
            )


def _check_prompts(suite: Suite, document: YAMLDocument) -> None:
    """Reads the suite's own prompts, before a judge is paid."""
    if suite.prompts is not None:
        try:
            Prompts.from_folder(suite.path(suite.prompts))
        except InputError as error:
            raise InputError(document.describe(("prompts",), str(error))) from None


def _check_store(suite: Suite, document: YAMLDocument) -> None:
    if (
        suite.store is not None
        and isinstance(suite.store_place, Path)
        and (kind := kind_of_no_folder(suite.store_place))
    ):
        problem = f"{suite.store_place}: is {kind}, not a folder; name the folder of a store"
        raise InputError(document.describe(("store",), problem))


def _check_outputs(suite: Suite, document: YAMLDocument) -> None:
    """Checks that each output is a file, and the site a folder, or not there yet: before a judge is paid."""
    for key, name in suite.outputs.model_dump(by_alias=True).items():
        if name is None:
            continue
        target = suite.folder / Path(name).expanduser()  # not resolved: what /dev/stdout is may be a file
        if key != "site":
            try:
                check_replaceable(target, f"`{key}`")
            except UsageError as error:
                raise InputError(document.describe(("outputs", key), error)) from None
        elif kind := kind_of_no_folder(target):
            problem = f"{target}: is {kind}, not a folder; name a folder, or leave out `{key}`"
            raise InputError(document.describe(("outputs", key), problem))
