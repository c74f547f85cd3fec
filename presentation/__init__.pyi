from .charts import (
    Axis as Axis,
    axis_over as axis_over,
    draw_band as draw_band,
    draw_forest as draw_forest,
)
from .figure import (
    Figure as Figure,
    Kind as Kind,
    format_cost as format_cost,
    format_p as format_p,
    format_price as format_price,
)
from .markdown import as_text as as_text, table_lines as table_lines
from .page import Report as Report, template_environment as template_environment, typeset as typeset
from .rendered_markdown import (
    TextMark as TextMark,
    read_visible_text as read_visible_text,
    render_markdown as render_markdown,
)
from .result_table import (
    Column as Column,
    Content as Content,
    Paragraph as Paragraph,
    ResultTable as ResultTable,
    TableCell as TableCell,
)
from .texts import one_line as one_line, terminal_text as terminal_text
from .verdict import Verdict as Verdict
