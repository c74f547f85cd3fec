from .bad_answers import FailureText as FailureText
from .failure_groups import (
    FailureGroup as FailureGroup,
    Failures as Failures,
    failures_as_json as failures_as_json,
    failures_block as failures_block,
    group_failures as group_failures,
    render_failure_report as render_failure_report,
    view_failures as view_failures,
    write_failure_report as write_failure_report,
)
