"""Many questions to a judge, a bounded number at once; what one of them breaks on stops only itself."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from ..errors import AssayError, JudgeError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


async def ask_all(
    items: Sequence[Item],
    ask: Callable[[Item], Awaitable[Answer]],
    *,
    concurrency: int,
    asked: Callable[[bool], None] = lambda _: None,
) -> list[Answer | JudgeError]:
    """What `ask` gives for each item, in order; a `JudgeError` stands in the place of what it should have given.

    `asked` hears after each whether it went well. Raises `BudgetReached`, after what was under way has ended.
    """
    found: dict[int, Answer | JudgeError] = {}
    stopped: list[AssayError] = []
    waiting = iter(enumerate(items))

    async def work() -> None:
        for place, item in waiting:
            if stopped:
                return
            try:
                found[place] = await ask(item)
            except JudgeError as error:
                found[place] = error
            except AssayError as error:
                stopped.append(error)
                return
            asked(not isinstance(found[place], JudgeError))
            await asyncio.sleep(0)  # replayed replies never wait: Ctrl-C and the progress bar get their turn here

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    if stopped:
        raise stopped[0]
    return [found[place] for place in range(len(items))]
