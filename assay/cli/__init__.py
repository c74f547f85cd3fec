"""The command line: one file per command. No logic but what belongs to typing and reading."""

import logging
import sys
import warnings
from functools import partial
from io import StringIO
from typing import Any

import click

from .. import __version__
from ..errors import AssayError, BudgetReached, UsageError
from ..former_names import FormerNameWarning, current_name
from .command_list import CommandList
from .exit_codes import BUDGET, ERROR, INTERRUPTED, USAGE
from .output import echo, echo_notice


@click.group(
    cls=CommandList,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 110,
        "token_normalize_func": partial(current_name, "command or option"),
    },
)
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """Assay tests what a support chatbot's answers are made of.

    \b
    Exit codes: 0 done, 1 error, 2 usage, 3 budget reached (resumable),
    4 more samples failed than --max-failed, 5 a gate of a suite failed,
    130 interrupted (resumable).
    """


class _NoticeHandler(logging.Handler):
    """Prints what Assay's modules log, such as a judge that gives no log probabilities, as notices."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one record."""
        echo_notice(record.getMessage())


def main() -> None:
    """Runs the command line; errors made on purpose become one line and an exit code."""
    show_warning = warnings.showwarning
    logger, notices = logging.getLogger("assay"), _NoticeHandler(logging.WARNING)
    logger.addHandler(notices)

    def show(message: Warning | str, category: type[Warning], *place: Any, **further: Any) -> None:
        """Prints the notice about a former name as one line, any other warning as Python does."""
        if issubclass(category, FormerNameWarning):
            echo(f"assay: {message}", err=True)
        else:
            show_warning(message, category, *place, **further)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("default", FormerNameWarning)
            warnings.showwarning = show
            sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        message = StringIO()
        error.show(file=message)  # the words that were typed stand in it
        echo(message.getvalue().removesuffix("\n"), err=True)
        sys.exit(error.exit_code)
    except UsageError as error:
        _end(error, USAGE)
    except BudgetReached as error:
        _end(error, BUDGET)
    except AssayError as error:
        _end(error, ERROR)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(ERROR)
    finally:
        logger.removeHandler(notices)


def _end(error: AssayError, code: int) -> None:
    echo(f"assay: {error}", err=True)
    sys.exit(code)
