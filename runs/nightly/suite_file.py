"""Reads a suite from its YAML file; what is wrong is told with line, key and the nearest right name."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ...arguments import check_type
from ...errors import InputError, UsageError
from ...eval_sets.name_suggestions import nearest_names, quote_names
from ...eval_sets.sample_columns import known_columns
from ...eval_sets.sources import is_on_hub, open_source
from ...metrics.catalogue import needs_judge
from ...value_messages import describe_mistake
from .gates import GATES, NO_JUDGE
from .suite import BudgetBounds, CassetteUse, Outputs, Suite, judge_identity

Place = Sequence[str | int]


def load_suite(path: Path) -> Suite:
    """Reads a suite and checks everything that can be checked before it runs: keys, metrics, judges, gates.

    Args:
        path: The YAML file.

    Raises:
        InputError: The file cannot be read or is no valid suite; the text names file, line, key and the nearest
            right name.
    """
    check_type("path", path, Path, "the path of a suite's file, as a pathlib.Path")
    try:
        text = path.read_text(encoding="utf-8")
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the suite cannot be read: {error}") from error
    except yaml.YAMLError as error:
        raise InputError(_not_yaml(path, text, error)) from error
    if not isinstance(content, dict) or tree is None:
        raise InputError(f"{path}: holds no keys; a suite begins with `sets:` and `metrics:` (see docs/nightly.md)")
    for key, line in _repeated_keys(tree):
        raise InputError(f"{path}, line {line}: the key `{key}` appears twice; keep one of them")
    if "folder" in content:
        raise InputError(_unknown_key(str(path), tree, ("folder",)))
    try:
        suite = Suite.model_validate({"name": path.stem} | content | {"folder": path.resolve().parent})
    except ValidationError as error:
        errors = error.errors(include_url=False)
        # a misspelt key is also a missing one: the misspelling is what to correct
        first = next((problem for problem in errors if problem["type"] == "extra_forbidden"), errors[0])
        raise InputError(_explanation(str(path), tree, first)) from None
    _check_names(suite, path, tree)
    return suite


def check_sets(suite: Suite, path: Path) -> None:
    """Checks that the sets of a suite can be opened, and that they hold a first row.

    Args:
        suite: The suite.
        path: Its file.

    Raises:
        InputError: A set cannot be opened; the text names the suite's file and the set's line.
    """
    tree = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    if tree is None:
        return
    for number, (name, source) in enumerate(zip(suite.sets, suite.plan(NO_JUDGE).sets, strict=True)):
        if is_on_hub(source):
            continue  # checking asks nobody
        try:
            opened = open_source(
                source, split=suite.split, sheet=suite.sheet, known=known_columns(suite.map), logs=not suite.map
            )
            next(iter(opened.rows), None)
        except InputError as error:
            place: Place = ("sets", number)
            beside = "" if Path(source).is_absolute() else f" (looked for in {suite.folder} and among the bundled sets)"
            raise InputError(
                f"{path}{_line(tree, place)}, {_dotted(place)}: {name} cannot be read{beside}: {error}"
            ) from None


def _not_yaml(path: Path, text: str, error: yaml.YAMLError) -> str:
    """What is wrong with a file that is no YAML: file, line, problem and cure."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    number = mark.line if mark else text.count("\n", 0, getattr(error, "position", 0))
    problem = (
        getattr(error, "problem", None) or getattr(error, "reason", None) or "a character that YAML does not allow"
    )
    context = getattr(error, "context", None)
    began = getattr(error, "context_mark", None)
    within = f" {context} that begins in line {began.line + 1}" if context and began else ""
    cure = "check the brackets, quotes, colons and the indentation (spaces, no tabs) there"
    return f"{path}, line {number + 1}: not valid YAML: {problem}{within}; {cure}"


def _check_names(suite: Suite, path: Path, tree: yaml.Node) -> None:
    def invalid(place: Place, problem: str) -> InputError:
        return InputError(f"{path}{_line(tree, place)}, {_dotted(place)}: {problem}")

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
            same = suite.gates.index(gate)
            raise invalid(("gates", number), f"is the same gate as gates[{same}]; remove one of them")
        gate_metric: str | None = getattr(gate, "metric", None)
        if gate_metric is not None and gate_metric not in measured:
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


def _explanation(path: str, tree: yaml.Node, error: ErrorDetails) -> str:
    place = tuple(part for part in error["loc"] if part not in GATES)
    if error["type"] == "extra_forbidden":
        return _unknown_key(path, tree, place, gate=next((str(part) for part in error["loc"] if part in GATES), None))
    where = f"{path}{_line(tree, place)}, {_dotted(place) or 'the suite'}"
    if error["type"] == "missing":
        return f"{where}: is missing; add it"
    if error["type"] in {"union_tag_not_found", "union_tag_invalid"}:
        value = error.get("input")
        kind = error.get("ctx", {}).get("tag")
        similar = (
            nearest_names(str(kind), GATES) if kind else nearest_names("gate", value if isinstance(value, dict) else ())
        )
        hint = f"did you mean `{similar[0]}`? " if kind and similar else ""
        hint = f"is `{similar[0]}` meant as `gate`? " if similar and not kind else hint
        return f"{where}: begins with `gate:` and its kind; {hint}The kinds are {quote_names(GATES)}"
    return f"{where}: {describe_mistake(error, 'correct it there')}"


def _unknown_key(path: str, tree: yaml.Node, place: Place, gate: str | None = None) -> str:
    *parents, key = place
    model: Any = Suite
    if gate is not None:
        model = GATES[gate]
    elif parents:
        model = {"cassette": CassetteUse, "budget": BudgetBounds, "outputs": Outputs}[str(parents[0])]
    known = [field.alias or name for name, field in model.model_fields.items() if name != "folder"]
    similar = nearest_names(str(key), known)
    hint = f"did you mean `{similar[0]}`? " if similar else ""
    within = f" in {_dotted(parents)}" if parents else ""
    return (
        f"{path}{_line(tree, place)}: unknown key `{key}`{within}; {hint}The keys are {quote_names(known, at_most=30)}"
    )


def _dotted(place: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def _line(tree: yaml.Node, place: Place) -> str:
    """The line of a key, or of the nearest node around it."""
    node, line = tree, tree.start_mark.line + 1
    for part in place:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == part), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return f", line {line}"


def _repeated_keys(node: yaml.Node) -> Iterator[tuple[str, int]]:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                yield key.value, key.start_mark.line + 1
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else id(key))
            yield from _repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated_keys(item)
