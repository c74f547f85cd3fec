from .failure_blocks import (
    failures_as_json as failures_as_json,
    failures_block as failures_block,
    render_failure_report as render_failure_report,
    view_failures as view_failures,
    write_failure_report as write_failure_report,
)
from .failure_groups import (
    FailureExample as FailureExample,
    FailureGroup as FailureGroup,
    Failures as Failures,
    group_failures as group_failures,
)
