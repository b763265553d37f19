"""Works done at the same moment, each on a connection of its own."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(*works: Callable[[], object]) -> list[object]:
    """What the works answered, an exception when they raised one, in the order of the works."""
    answers: list[object] = [None] * len(works)
    start = threading.Barrier(len(works))

    def run(place: int) -> None:
        try:
            connection.ensure_connection()
            start.wait()
            answers[place] = works[place]()
        except Exception as error:
            answers[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return answers
