"""Questions that are put together while an answer is awaited, and what becomes of one that has none."""

import asyncio
from collections.abc import Sequence

import pytest
from django.db import OperationalError

from apps.tables.together import Together


class Clerk:
    """Answers a number with its double; negative ones spoil everything that they are asked with."""

    def __init__(self, *, closed: bool = False) -> None:
        self.closed = closed
        self.asked: list[list[int]] = []

    async def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        await asyncio.sleep(0.01)
        if self.closed:
            raise OperationalError("closed")
        if min(numbers) < 0:
            raise ValueError("negative")
        return [2 * number for number in numbers]


def ask(clerk: Clerk, numbers: Sequence[int], *, most: int = 10) -> list[int | BaseException]:
    """Ask the first, and all the others while it is not answered yet."""

    async def all_at_once() -> list[int | BaseException]:
        together = Together(clerk, most)
        first = asyncio.create_task(together(numbers[0]))
        await asyncio.sleep(0.001)
        return await asyncio.gather(first, *map(together, numbers[1:]), return_exceptions=True)

    return asyncio.run(all_at_once())


def test_what_comes_while_an_answer_is_awaited_is_asked_together_and_each_has_its_own_answer() -> None:
    clerk = Clerk()
    assert ask(clerk, range(6)) == [0, 2, 4, 6, 8, 10]
    assert clerk.asked == [[0], [1, 2, 3, 4, 5]]


def test_no_more_than_so_many_are_asked_together() -> None:
    clerk = Clerk()
    assert ask(clerk, range(6), most=2) == [0, 2, 4, 6, 8, 10]
    assert clerk.asked == [[0], [1, 2], [3, 4], [5]]


def test_what_is_wrong_with_one_is_not_the_trouble_of_the_others() -> None:
    first, second, wrong, third = ask(Clerk(), [1, 2, -1, 3])
    assert (first, second, third) == (2, 4, 6)
    assert isinstance(wrong, ValueError)


def test_without_a_database_nobody_is_asked_one_by_one() -> None:
    clerk = Clerk(closed=True)
    assert all(isinstance(answer, OperationalError) for answer in ask(clerk, range(6)))
    assert len(clerk.asked) == 2


def test_who_does_not_wait_any_more_holds_nobody_up() -> None:
    async def leave() -> int:
        together = Together(Clerk(), 10)
        gone, stays = (asyncio.create_task(together(number)) for number in (1, 2))
        await asyncio.sleep(0.001)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        return await stays

    assert asyncio.run(leave()) == 4
