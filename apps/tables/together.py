"""Asking the database about many things at once: what comes while it is being asked waits, and goes with the next time."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from django.db import InterfaceError, OperationalError

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Together(Generic[Question, Answer]):
    """A way to ask that puts questions together by itself, the more the longer an answer takes.

    Questions that cannot be answered together are asked one by one: what is wrong with one is not the others' trouble.
    """

    def __init__(self, ask: Callable[[Sequence[Question]], Awaitable[Sequence[Answer]]], most: int) -> None:
        self.ask, self.most = ask, most
        self.waiting: deque[tuple[Question, asyncio.Future[Answer]]] = deque()
        self.asking: asyncio.Task[None] | None = None

    async def __call__(self, question: Question) -> Answer:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting.append((question, answer))
        if self.asking is None or self.asking.done():
            self.asking = asyncio.create_task(self._ask_all())
        return await answer

    async def _ask_all(self) -> None:
        while self.waiting:
            await self._put([self.waiting.popleft() for _ in range(min(self.most, len(self.waiting)))])

    async def _put(self, together: Sequence[tuple[Question, "asyncio.Future[Answer]"]]) -> None:
        try:
            answers = await self.ask([question for question, _answer in together])
        except Exception as error:
            if len(together) > 1 and not isinstance(error, (InterfaceError, OperationalError)):
                for each in together:
                    await self._put([each])
                return
            for _question, answer in together:
                if not answer.done():
                    answer.set_exception(error)
        else:
            for (_question, answer), found in zip(together, answers, strict=True):
                if not answer.done():
                    answer.set_result(found)
