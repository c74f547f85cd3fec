from .page import (
    difference_chart as difference_chart,
    render_decision_report as render_decision_report,
    version_chart as version_chart,
    view_decision as view_decision,
    write_decision_report as write_decision_report,
)
from .tables import (
    decision_block as decision_block,
    difference_table as difference_table,
    version_table as version_table,
)
