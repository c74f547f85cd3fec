"""Many calls of a judge, a bounded number at the same time; a failed call does not stop the others."""

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
    on_reply: Callable[[bool], None] = lambda _: None,
) -> list[Answer | JudgeError]:
    """Calls `ask` for every item.

    Returns:
        The answer for each item, in the items' order; a `JudgeError` in the place of an answer that failed.

    Example:
        >>> async def double(number: int) -> int:
        ...     return 2 * number
        >>> asyncio.run(ask_all([1, 2, 3], double, concurrency=2))
        [2, 4, 6]
    """
    answers: dict[int, Answer | JudgeError] = {}
    errors: list[AssayError] = []
    waiting = iter(enumerate(items))

    async def work() -> None:
        for place, item in waiting:
            if errors:
                return
            try:
                answers[place] = await ask(item)
            except JudgeError as error:
                answers[place] = error
            except AssayError as error:
                errors.append(error)
                return
            on_reply(not isinstance(answers[place], JudgeError))
            await asyncio.sleep(0)  # replayed replies never wait: this lets Ctrl-C and the line of progress act

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    if errors:
        raise errors[0]
    return [answers[place] for place in range(len(items))]
