"""The command line: one file a command. No logic but what belongs to typing and reading."""

import logging
import sys
from io import StringIO

import click

from .. import __version__
from ..errors import AssayError, BudgetReached, UsageError

# they add commands to `assay cassettes` and `assay generate`
from . import cassette_files, generate_documents, generate_questions, generate_review, generate_set  # noqa: F401
from .align import align
from .batch import batch
from .cassettes import cassettes
from .crosseval import crosseval
from .demo import demo
from .estimate import estimate
from .exit_codes import BUDGET, ERROR, INTERRUPTED, USAGE
from .generate import generate
from .heuristic import heuristic
from .init import init
from .judges import judges
from .listings import metrics, runs, sets
from .meta import meta
from .numeric import numeric
from .output import echo, echo_notice
from .probe import probe
from .prompts import prompts
from .rate import rate, ratings
from .run import run
from .suite import accept, suite
from .viewing import compare, show, view

COMMANDS = {
    "Evaluate": (init, run, batch, show, view, compare, runs, demo),
    "Trust": (meta, align, estimate, judges, rate, ratings, probe, heuristic),
    "CI": (suite, accept, cassettes),
    "Build sets": (generate, crosseval, sets),
    "Tools": (metrics, prompts, numeric),
}
"""The commands by what they are for, in the order of the help."""


class CommandGroups(click.Group):
    """Lists the commands by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes one list of commands per heading."""
        longest = max(len(command.name or "") for commands in COMMANDS.values() for command in commands)
        room = formatter.width - 6 - longest
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [((command.name or "").ljust(longest), command.get_short_help_str(room)) for command in commands]
                )


@click.group(
    cls=CommandGroups,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="assay")
def cli() -> None:
    """Assay tests what a support chatbot's answers are made of.

    \b
    Exit codes: 0 done, 1 error, 2 usage, 3 budget reached (resumable),
    4 more samples failed than --max-failed, 5 a gate of a suite failed,
    130 interrupted (resumable).
    """


for command in (command for commands in COMMANDS.values() for command in commands):
    cli.add_command(command)


class _NoticeHandler(logging.Handler):
    """Prints what Assay's modules log, such as a judge that gives no log probabilities, as notices."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one record."""
        echo_notice(record.getMessage())


def main() -> None:
    """Runs the command line; errors made on purpose become one line and an exit code."""
    logger, notices = logging.getLogger("assay"), _NoticeHandler(logging.WARNING)
    logger.addHandler(notices)
    try:
        sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        shown = StringIO()
        error.show(file=shown)  # the words that were typed stand in it
        echo(shown.getvalue().removesuffix("\n"), err=True)
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
