from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet
from django.dispatch import receiver

from apps.clock.signals import hidden_entries_asked
from apps.clock.workers import start_soon
from apps.pairs import tasks
from apps.pairs.selectors import oversight
from apps.pairs.selectors.decisions import verdict_on
from apps.pairs.selectors.tables import correction_page, is_published, is_still_open, rounds_of, stands_still
from apps.pairs.services import corrections, registration, tables
from apps.results.signals import correction_asked, field_compared, result_corrected
from apps.tables.models import DirectorCall, Table, TableBoard
from apps.tables.selectors import Verdict
from apps.tables.signals import (
    absence_asked,
    answered_afterwards,
    asked_afterwards,
    board_finished,
    correction_page_asked,
    correction_period_asked,
    correction_period_held,
    director_answered,
    director_called,
    director_view_asked,
    hidden_tables_asked,
    publication_asked,
    verdict_asked,
)
from apps.users.models import User
from apps.users.signals import account_closed


@receiver(field_compared)
def rank_soon(field_id: int, **_: Any) -> None:
    start_soon(tasks.rank_field, field_id)


@receiver(result_corrected)
def tell_soon(change_id: int, **_: Any) -> None:
    start_soon(tasks.tell_of_correction, change_id)


@receiver(correction_asked)
def refuse_correction(results: Sequence[int], user: User, **_: Any) -> None:
    corrections.refuse_correction(results=results, user=user)


@receiver(board_finished)
def take_soon(purpose: str, subject: str, **_: Any) -> None:
    for round_id in rounds_of(purpose, subject):
        start_soon(tasks.take_results, round_id)


@receiver(director_view_asked)
def refuse_who_plays(table: Table, user: User, **_: Any) -> None:
    oversight.refuse_director(table, user)


@receiver(hidden_tables_asked)
def hide_words_from_who_plays(user: User, **_: Any) -> QuerySet[Table]:
    return oversight.tables_not_for(user)


@receiver(hidden_entries_asked)
def hide_entries_from_who_plays(user: User, **_: Any) -> Q:
    return oversight.entries_not_for(user)


@receiver(absence_asked)
def excuse_while_suspended(table: Table, **_: Any) -> bool:
    return stands_still(table)


@receiver(director_called)
def tell_directors(table: Table, **_: Any) -> None:
    tables.tell_of_call(table)


@receiver(director_answered)
def settle_notices(table: Table, **_: Any) -> None:
    tables.call_is_answered(table)


@receiver(correction_period_asked)
def allow_questions_until_it_is_final(table_board: TableBoard, **_: Any) -> bool:
    return is_still_open(table_board)


@receiver(correction_period_held)
def hold_the_event(table_board: TableBoard, **_: Any) -> None:
    corrections.hold_event_of(table_board)


@receiver(correction_page_asked)
def lead_to_the_result(table_board: TableBoard, **_: Any) -> str:
    return correction_page(table_board)


@receiver(verdict_asked)
def say_what_counts(table_board: TableBoard, **_: Any) -> Verdict | None:
    return verdict_on(table_board)


@receiver(asked_afterwards)
def tell_directors_of_question(call: DirectorCall, user: User, **_: Any) -> None:
    tables.tell_of_question(call, by=user)


@receiver(answered_afterwards)
def tell_of_answer(call: DirectorCall, **_: Any) -> None:
    tables.tell_of_answer(call)


@receiver(publication_asked)
def show_when_the_round_is_over(table_board: TableBoard, **_: Any) -> bool:
    return is_published(table_board)


@receiver(account_closed)
def withdraw_player(user: User, by: User | None, **_: Any) -> None:
    registration.withdraw_player(user=user, by=by)
