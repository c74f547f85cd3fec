from .page import difference_chart as difference_chart
from .page import render_decision_report as render_decision_report
from .page import version_chart as version_chart
from .page import view_decision as view_decision
from .page import write_decision_report as write_decision_report
from .tables import decision_block as decision_block
from .tables import difference_table as difference_table
from .tables import version_table as version_table
