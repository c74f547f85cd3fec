"""The command line: one file per command. No logic but what belongs to typing and reading."""

import logging
import re
import signal
import sys
import threading
from collections.abc import Callable
from importlib import resources
from io import StringIO
from types import FrameType
from typing import Any

import click

from .. import __version__
from ..errors import AssayError, BudgetReached, UsageError
from ..interruption import BUDGET, ERROR, INTERRUPTED, USAGE
from .command_list import CommandList
from .output import echo, echo_notice

_FIRST = """\
To begin, one of these:

  assay demo              the whole of it on bundled answers: no key, no model, no network
  assay init answers.csv  your own answers: what the file supports, and a suite for it
  assay run answers.csv   scores them; with --judge openai/gpt-4o-mini a model judges them too

All commands: assay --help"""


@click.group(
    cls=CommandList,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="assay")
@click.pass_context
def cli(context: click.Context) -> None:
    """Assay tests what a support chatbot's answers are made of.

    \b
    Exit codes: 0 done, 1 error, 2 usage, 3 budget reached (resumable),
    4 more samples failed than --max-failed, 5 a gate failed or an alarm stands,
    130 interrupted by Ctrl-C or TERM (resumable).
    """
    if context.invoked_subcommand is None:
        echo(_FIRST)


class _NoticeHandler(logging.Handler):
    """Prints what Assay's modules log, such as a judge that gives no log probabilities, as notices."""

    def emit(self, record: logging.LogRecord) -> None:
        """Prints one record."""
        echo_notice(record.getMessage())


def main() -> None:
    """Runs the command line; errors made on purpose become one line and an exit code."""
    logger, notices = logging.getLogger("assay"), _NoticeHandler(logging.WARNING)
    logger.addHandler(notices)
    restore_signals = _end_at_signals()
    try:
        sys.exit(cli(standalone_mode=False))
    except click.ClickException as error:
        message = StringIO()
        error.show(file=message)  # the words that were typed stand in it
        echo(f"{message.getvalue().removesuffix(chr(10))}{_replacement(error)}", err=True)
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
        restore_signals()


def _replacement(error: click.ClickException) -> str:
    """What stands in place of what is named in an error of usage, where it went; empty of any other."""
    typed = re.findall(r"'([^']*)'", error.format_message())  # an option or a command, or an option and its value
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path.removeprefix(context.find_root().command_path).strip() if context is not None else ""
    commands = (path, path.rpartition(" ")[2])  # `judges card`, and `card` whatever it stands below
    below = [f"{command} {name}" for command in commands for name in typed[:1]]
    if "extra argument" in error.format_message():
        below.append(f"{path} ARGUMENT")
    return _what_went(" ".join(typed[:2]), *below, *typed[:1], " ".join(sys.argv[1:3]))  # last, a group that has a NAME


def _what_went(*names: str) -> str:
    """Says that something went and what stands in its place; empty where none of the names did."""
    from ..languages.yaml_file import read_yaml

    gone = read_yaml(resources.files(__package__) / "removed.yaml", dict[str, str])
    return next((f" It went: {gone[name]}." for name in names if name in gone), "")


def _end_at_signals() -> Callable[[], None]:
    """Makes TERM (`kill`, a container that stops, a job that is cancelled) and a terminal that closes end as Ctrl-C."""
    before: dict[signal.Signals, Any] = {}

    def end(number: int, frame: FrameType | None) -> None:
        at_ctrl_c = signal.getsignal(signal.SIGINT)  # by asyncio while calls are under way
        if callable(at_ctrl_c):
            at_ctrl_c(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
        number = getattr(signal, name, None)
        # one that is ignored (nohup) stays so
        if number is not None and signal.getsignal(number) is signal.SIG_DFL and _is_main_thread():
            before[number] = signal.signal(number, end)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _end(error: AssayError, code: int) -> None:
    unknown = re.match(r"no (judge|metric) is called '([^']*)'", str(error))
    gone = _what_went(f"{unknown[1]}s {unknown[2]}") if unknown else ""
    echo(f"assay: {error}{gone}", err=True)
    sys.exit(code)
