"""What files of scores and ratings say: one column of numbers per metric or rater, and the scale of ratings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import InputError
from ..name_suggestions import quote_names
from ..text.wording import count_of, verb_of
from ..value_messages import quote_word
from .column_roles import (
    ColumnRoles,
    RatingColumn,
    RoleSearch,
    find_decisions,
    find_likely_raters,
    may_be_rating,
    name_raters,
)
from .column_table import (
    GENERAL_NAMES,
    RATING_ALIASES,
    explain_no_person,
    has_person_name,
    is_known_metric,
    is_mean_rating,
    is_of_program,
    rater_of,
    usual_name,
)
from .items import COMPARES_TWO, RATER, ScoreSource, has_two_answers
from .logs.test_runs import promptfoo_cure
from .number_rule import Bounds, ColumnCells, RatingScale, find_common_scale, scale_of_header, scale_of_values
from .preference_reading import holds_preferences
from .rows import Row
from .score_columns import REPEATED, ReadOptions, ScoreFile, check_patterns, match_columns, short_name
from .sources import flat_rows

_WIDEST_SCALE = 10  # where nothing says which columns are ratings, 0-10 is the widest scale that is believed
_BOUNDS = ("rating_min", "rating_max")
_ANY: Bounds = (float("-inf"), float("inf"))  # the scale of a column whose rows say theirs
_HOW_TO_RATE = "name their columns (--rating), or write a column rating, or the columns id, rater and rating"


def read_score_files(
    scores: Sequence[Path], ratings: Path | None, options: ReadOptions
) -> tuple[list[ScoreSource], ScoreSource | None]:
    """Reads files of scores and a file of ratings; a file that is both is read once.

    The row that names the columns is that of the file of ratings, where there is one.
    """
    rows = {
        path: flat_rows(path, options.sheet, options.header_row if ratings in {None, path} else None)
        for path in dict.fromkeys((*scores, *([ratings] if ratings else [])))
    }
    sources = {path: read_scores(rows[path], str(path), options) for path in dict.fromkeys(scores) if path != ratings}
    rating_source = None
    if ratings:
        metrics = {metric for source in sources.values() for metric in source.columns}
        is_both = ratings in scores
        rating_source = read_ratings(rows[ratings], str(ratings), options, metrics=metrics, has_scores=is_both)
        if is_both:
            read = rating_source.read_columns
            sources[ratings] = read_scores(rows[ratings], str(ratings), options, other_columns=read)
    return [sources[path] for path in dict.fromkeys(scores)], rating_source


def read_scores(
    rows: Sequence[Row], name: str, options: ReadOptions, *, other_columns: Collection[str] = ()
) -> ScoreSource:
    """Reads the metrics' scores in rows: long (columns metric and value) or wide (one column per metric).

    Wide, every column of numbers is a metric, unless its name says otherwise or it is in `other_columns`. A score whose
    status, error or reason says that the metric failed is missing. `name` is the file's, for messages.

    Raises:
        InputError: A cell is no number, an item stands twice, or there are no numbers at all.

    Examples:
        >>> rows = [Row(1, "line 2", {"id": "a", "bleu": 0.5, "note": "x"}), Row(2, "line 3", {"id": "b", "bleu": 1})]
        >>> read_scores(rows, "scores.csv", ReadOptions()).columns
        {'bleu': {0: 0.5, 1: 1.0}}
    """
    file = ScoreFile(rows, name, options)
    if file.is_long:
        file.join_rows("metric", file.roles["value"])
    excluded = {*other_columns, *options.labels}
    candidates = file.metric_candidates(excluded)
    requested = match_columns(options.metrics, candidates)
    offered = [
        column for column in candidates if column in requested or column in file.joined or file.holds_numbers(column)
    ]
    if not offered:
        raise _nothing_scored(file)
    if file.has_raters and not file.is_long:
        file.keep_one_row({column: file.rule(column)[1] for column in offered})
    file.read_items()
    selected = requested if options.metrics else offered
    scores = {short_name(metric): file.scores(metric) for metric in selected}
    for metric, numbers in scores.items():
        of_failures = sum(number == -1 for number in numbers.values())
        if 0 < of_failures < len(numbers) and all(number == -1 or 0 <= number <= 1 for number in numbers.values()):
            file.tell(
                f"{count_of(of_failures, 'score')} of {metric} {verb_of(of_failures, 'is', 'are')} -1, all others from "
                "0 to 1; where -1 says that the metric failed, leave the cell empty"
            )
    items = file.items
    for number, reasons in file.reasons.items():
        items[number] = replace(items[number], reasons=reasons)
    return ScoreSource(name, tuple(items), scores, offered=tuple(offered), notes=tuple(file.notes))


def read_ratings(
    rows: Sequence[Row],
    name: str,
    options: ReadOptions,
    *,
    metrics: Collection[str] = (),
    has_scores: bool = False,
    repeated: str = REPEATED,
) -> ScoreSource:
    """Reads people's ratings in rows: long (columns rater and rating), an object `ratings` by rater, a column `rating`,
    or one column per rater.

    The columns have the roles that they have in a set; what a set only proposes as raters' is read here, where no other
    column has ratings. The scores of `metrics` are nobody's ratings. `repeated` says what to do about an
    id that stands twice.

    Raises:
        InputError: As `read_scores`, and where nothing says which columns are ratings.

    Examples:
        >>> rows = [Row(1, "line 2", {"id": "a", "ratings.ann": 4, "ratings.bob": 5})]
        >>> read_ratings(rows, "ratings.jsonl", ReadOptions()).columns
        {'ann': {0: 4.0}, 'bob': {0: 5.0}}
    """
    file = ScoreFile(rows, name, options, repeated)
    value = file.roles.get("rating") or ("" if file.is_long else file.roles.get("value", ""))
    if "rater" in file.roles and value:
        file.join_rows("rater", value)
    search, roles = _find_roles(file, options, metrics, has_scores=has_scores)
    read = sorted(filter(None, (roles.own, *roles.ratings)), key=lambda column: not column.rater)
    if [column.name for column in read] == [value] and not options.mapping and (cure := promptfoo_cure(file.names)):
        raise InputError(f"{name}: {cure}; its {value} is the grader's, and no rating")
    if not read:
        raise _nobody_rated(file, roles.unused)
    names = [column.name for column in read]
    beside = file.metrics_beside(names) if has_scores and not file.is_long else []
    file.tell_reading({column.name: column.rater or _rater_name(column.name) for column in read}, beside)
    if file.is_long:
        file.keep_one_row({column.name: column.rule for column in read})
    file.read_items()
    file.tell_ratings(read, {} if options.ratings or file.joined else roles.unused)
    for note in roles.notes_on_raters:
        file.tell(note)
    columns, scale = _join_raters(file, read, options.scale)
    if not columns:
        raise InputError(f"{name}: there are no ratings in it; {_HOW_TO_RATE} (it has {quote_names(file.names)})")
    if scale is not None and scale[0] < 0 and any(has_two_answers(row.values) for row in rows):
        raise InputError(f"{name}, field {file.origin(names[0])}: {COMPARES_TWO}")
    places = dict[float, str]()
    for column in names:
        for number, place in search.cells[column].places().items():
            places.setdefault(number, f"{place}, field {file.origin(column)}")
    return ScoreSource(
        name,
        tuple(file.items),
        columns,
        scale=scale,
        places=places,
        read_columns=tuple(dict.fromkeys(map(file.origin, names))),
        notes=tuple(file.notes),
    )


def _find_roles(
    file: ScoreFile, options: ReadOptions, metrics: Collection[str], *, has_scores: bool
) -> tuple[RoleSearch, ColumnRoles]:
    """Finds the columns of ratings: those that the user names, else those of the raters that rows name, else all that
    have the role in a set, else what a set would propose.
    """
    if options.ratings:
        named = _named_columns(file, options)
        return _search(file, {column: f"ratings.{_rater_name(column)}" for column in named}, options, named)
    mapping = {column: column for column in file.names if column.startswith("ratings.")}
    if file.joined:
        no_people = {rater: why for rater in file.joined if (why := explain_no_person(rater))}
        for rater, why in no_people.items():
            cure = f"--rating {quote_word(rater)} reads them"
            file.tell(f"{rater} {why}, and its ratings are left out; {cure}")
        joined = [column for rater, column in file.joined.items() if rater not in no_people]
        return _search(file, mapping, options, joined)
    mapping |= {column: "rating" for column, ours in file.mapping.items() if ours in {"rating", "value"}}
    of_scores = {file.roles["metric"], file.roles["value"]} if file.is_long else set[str]()
    general = {column for column in file.names if usual_name(column) in GENERAL_NAMES}
    beside = file.metrics_beside(general) if has_scores and not file.is_long else ()
    search, roles = _search(
        file, mapping, options, [column for column in file.names if column not in of_scores], beside
    )
    if roles.own or roles.ratings or (has_scores and file.is_long):
        return search, roles
    others = {*metrics, *(column for column in roles.unused if not scale_of_header(column))}
    likely = _guess_raters(file, others, has_scores=has_scores)
    return _search(file, likely, options, list(likely)) if likely else (search, roles)


def _search(
    file: ScoreFile,
    mapping: Mapping[str, str],
    options: ReadOptions,
    columns: Collection[str],
    beside: Sequence[str] = (),
) -> tuple[RoleSearch, ColumnRoles]:
    is_told = bool({*_BOUNDS} & file.roles.keys())  # by each row
    search = RoleSearch(
        file.name,
        mapping,
        options.scale or (_ANY if is_told else None),
        object_name=file.value or "ratings",
        expects_ratings=True,
    )
    read = {*columns} - {*_BOUNDS}
    for row in file.rows:
        search.add(row._replace(values={column: cell for column, cell in row.values.items() if column in read}))
    return search, search.result(beside)


def _named_columns(file: ScoreFile, options: ReadOptions) -> list[str]:
    """The columns that the user names as ratings, by their names or their raters'."""
    names, raters = [] if file.joined else file.names, file.raters
    called = [column for column in names if column.startswith("ratings.") or column in raters.names]
    called += [column for column in raters.others if column in names]
    of_raters = file.joined or {rater_of(column) or column.removeprefix("ratings."): column for column in called}
    column_by_name = {column: column for column in names} | of_raters
    check_patterns(options.ratings, column_by_name, "rater or column of ratings", file.name, of_raters)
    return list(dict.fromkeys(column_by_name[match] for match in match_columns(options.ratings, column_by_name)))


def _guess_raters(file: ScoreFile, others: Collection[str], *, has_scores: bool) -> dict[str, str]:
    """The columns that a set would propose as raters', or the only one that may hold ratings, mapped to their raters.

    Several criteria are not several raters, and a column of wide numbers may be what another one measures. Beside
    scores only what a set proposes is read, and only where a name is a person's: other whole numbers may be scores.
    """
    cells = {
        column: file.rule(column)[0]
        for column in file.names
        if column not in {*file.labels, *others} and not file.is_no_metric(column)
        if not (is_known_metric(column) or is_of_program(column) or short_name(column) in others)
    }
    _, decision = find_decisions(cells)
    cells = {column: of_column for column, of_column in cells.items() if file.holds_numbers(column)}
    numbers = [values for of_column in cells.values() if (values := of_column.values())]
    if any(values[-1] - values[0] > _WIDEST_SCALE for values in numbers):
        return {}
    if has_scores:
        raters = name_raters(find_likely_raters(cells))
        is_sure = any(rater != column or has_person_name(rater) for column, rater in raters.items())
        return {column: f"ratings.{rater}" for column, rater in raters.items()} if is_sure else {}
    may_be = find_likely_raters(cells, fewest=2, may_be=may_be_rating)
    likely = find_likely_raters(cells, fewest=2) or (may_be if len(may_be) == 1 else [])
    return {column: f"ratings.{rater}" for column, rater in name_raters(likely or decision).items()}


def _nothing_scored(file: ScoreFile) -> InputError:
    if {"user_input", "response"} <= file.roles.keys():
        typed = quote_word(file.name)
        return InputError(
            f"{file.name}: nothing has scored its answers; `assay run {typed}` does, and `assay meta last` then "
            f"compares the scores with the ratings (it has {quote_names(file.names)})"
        )
    rated = [column for column in file.names if rater_of(column) or column.startswith("ratings.")]
    held = f", only the ratings {quote_names(rated)}" if rated else ""
    return InputError(
        f"{file.name}: there are no scores in it{held}; write one column per metric, or the columns id, metric and "
        f"value (it has {quote_names(file.names)})"
    )


def _nobody_rated(file: ScoreFile, unused: Mapping[str, str]) -> InputError:
    others = [f"{column}: {reason}" for column, reason in unused.items()]
    others += [f"{rater} {why}" for rater in file.joined if (why := explain_no_person(rater))]
    if holds_preferences(file.names):
        others += ["it holds preferences between versions: assay decide RUN_A RUN_B --ratings FILE reads it"]
    why = f" ({', '.join(others)})" if others else ""
    return InputError(
        f"{file.name}: nobody rated in it{why}; name a file of ratings (--ratings FILE), or {_HOW_TO_RATE} (it has "
        f"{quote_names(file.names)})"
    )


def _rater_name(column: str) -> str:
    if usual_name(column) in {"rating", *RATING_ALIASES} or is_mean_rating(column):
        return RATER
    return rater_of(column) or short_name(column).removeprefix("ratings.")


def _join_raters(
    file: ScoreFile, read: Sequence[RatingColumn], typed: Bounds | None
) -> tuple[dict[str, dict[int, float]], Bounds | None]:
    """The ratings by rater, and the scale that the user, the rows or the columns say; those on several scales on 1-5.

    Two columns of one rater are joined. Beside the raters' own ratings, `rating` is their mean or says nothing new.
    Raises `InputError` where two columns differ, and for a rating that is not on its scale.
    """
    stated = {column.scale[:2] if column.scale.is_told else None for column in read}
    common = typed or (stated.pop() if len(stated) == 1 else None)
    is_told = typed is None and not file.roles.keys().isdisjoint(_BOUNDS)  # by each row
    whose = "which --scale says" if typed else "which the file says"
    names = {column: rater for rater, column in file.joined.items()}
    raters: dict[str, tuple[str, str, dict[int, float]]] = {}
    scales: dict[tuple[str, int], Bounds] = {}
    for column in read:  # the raters' own ratings first
        rater = names.get(column.name) or column.rater or _rater_name(column.name)
        others = {} if column.rater else {number: rated for _, _, rated in raters.values() for number in rated}
        first, known, joined = raters.setdefault(rater.casefold(), (column.name, rater, {}))
        for number, rating in file.numbers(column.name, column.rule).items():
            if others.get(number, joined) is not joined:
                continue
            if joined.setdefault(number, rating) != rating:
                raise InputError(
                    f"{file.name}: `{first}` and `{column.name}` are both read as the ratings of {known}; rename one "
                    f"of them, or choose one (--rating {quote_word(column.name)})"
                )
            row = file.rows[number]
            if (scale := _scale_of_row(file, row.part(column.name)) if is_told else common) is None:
                continue
            scales[known, number] = low, high = scale
            if not low <= rating <= high:
                off = f"is {rating:g}, off the scale of {low:g} to {high:g}"
                raise file.error(row, column.name, f"{off}, {whose}; correct the rating, or the scale")
    columns = {rater: ratings for _, rater, ratings in raters.values() if ratings}
    if len(found := {*scales.values()}) < 2:
        return columns, next(iter(found), None)
    file.tell("its ratings are on several scales (rating_min, rating_max), and are brought to 1 to 5")
    for (rater, number), (low, high) in scales.items():
        columns[rater][number] = 1 + 4 * (columns[rater][number] - low) / (high - low)
    return columns, (1.0, 5.0)


def _scale_of_row(file: ScoreFile, row: Row) -> Bounds:
    """The scale that a row says; an end that it does not say is that of 1-5."""
    low, high = (
        file.number(row, file.roles[role]) if role in file.roles else None for role in ("rating_min", "rating_max")
    )
    scale = 1.0 if low is None else low, 5.0 if high is None else high
    if scale[0] >= scale[1]:
        problem = "is not below rating_max; give a scale such as 1 and 5"
        raise file.error(row, file.roles.get("rating_min", "rating_min"), problem)
    return scale


def find_scale(ratings: ScoreSource, own: Bounds | None = None) -> tuple[Bounds, list[str]]:
    """Finds the scale of ratings, and what the user should know of it.

    That is the one that the user or the source says, else `own` where it holds all ratings (that of other ratings of
    the same answers), else the usual one that does, else their range.

    Raises:
        InputError: Raters are on different scales, a rating lies far beyond the scale of the others, or all are equal
            and below 1.
    """
    if ratings.scale is not None:
        return ratings.scale, []
    by_rater = {rater: ColumnCells() for rater in ratings.columns}
    for rater, numbers in ratings.columns.items():
        for number in numbers.values():
            by_rater[rater].add(number, ratings.places.get(number, ""))
    values = sorted(value for cells in by_rater.values() for value in cells.values())
    low, high = values[0], values[-1]
    if own is not None and own[0] <= low and high <= own[1]:
        return own, []
    found = find_common_scale(by_rater, ratings.name)
    if found is None:  # each rater's are equal, or they are on no usual scale
        found = scale_of_values(values, ratings.places) or RatingScale(low, high)
        if low == high and (low < 1 or found.low == found.high):
            raise InputError(f"{ratings.name}: all ratings are {low:g}; say the scale (--scale 0-1)")
    scale, hints = found[:2], found.hints
    if (odd := next((value for value in (high, low) if not scale[0] <= value <= scale[1]), None)) is not None:
        raise InputError(
            f"{ratings.name}, {ratings.places.get(odd)}: is {odd:g}, and the other ratings lie on the scale "
            f"{scale[0]:g}-{scale[1]:g}; correct it, empty it where it means that there is no rating, or say the scale "
            "(--scale LOW-HIGH)"
        )
    if scale == (1, 5) and not hints:
        return scale, []
    ends = f"lowest rating ({ratings.places.get(low)}) and its highest ({ratings.places.get(high)})"
    cure = f"ratings: {'; '.join(hints)}" if hints else f"{ends}; say another with --scale"
    return scale, [f"{ratings.name}: the scale of {scale[0]:g} to {scale[1]:g} is taken from its {cure}"]
