"""Steps at an interval: outages are waited out and said, and an edited watch file counts from the next step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from ...errors import AssayError
from ...runs import Store
from .watch_file import load_watch
from .watch_records import hold_watch
from .watch_settings import WatchSettings
from .watch_step import StepReport, StepTools, WatchStep


@dataclass(frozen=True, slots=True)
class LoopTools:
    """What the loop uses of the world."""

    step: StepTools  # what a step uses
    sleep: Callable[[float], None] = sleep  # waits so many seconds
    on_trouble: Callable[[str], None] = lambda _: None  # called with what failed and is tried again, for a person


def take_step(settings: WatchSettings, store: Store, tools: StepTools | None = None) -> StepReport:
    """Takes one step of a watch that no other process is at work on."""
    with hold_watch(store, settings.name):
        return WatchStep(settings, store, tools).take()


def take_steps(file: Path, settings: WatchSettings, store: Store, tools: LoopTools) -> Iterator[StepReport]:
    """Takes a step every interval, for as long as reports are drawn from it.

    The first step must succeed: a wrong key or project is found at once. Later ones that fail are tried again at the
    next interval. The watch file is read before each step; while it has a mistake, the earlier one counts.
    """
    with hold_watch(store, settings.name):
        is_first = True
        while True:
            began = monotonic()
            try:
                yield WatchStep(settings, store, tools.step).take()
            except AssayError as error:
                if is_first:
                    raise
                tools.on_trouble(f"this step failed: {error}. The next one tries again; nothing is lost")
            is_first = False
            tools.sleep(max(0.0, settings.every.total_seconds() - (monotonic() - began)))
            settings = _read_again(file, settings, tools)


def _read_again(file: Path, settings: WatchSettings, tools: LoopTools) -> WatchSettings:
    try:
        changed = load_watch(file)
    except AssayError as error:
        tools.on_trouble(f"the watch file has a mistake, so that the earlier one counts: {error}")
        return settings
    if changed.name != settings.name or changed.store_place != settings.store_place:
        tools.on_trouble("the watch file has another name or store, which counts when the watch is started again")
        return settings
    return changed
