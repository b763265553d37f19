"""The audit log only ever grows, and so does every table that is made append-only."""

import pytest
from django.contrib.admin.sites import site
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from apps.clock.append_only import append_only
from apps.clock.models import AuditEntry, DueWork, Outage, Outgoing
from apps.clock.selectors import audit_of
from apps.clock.services import record
from apps.users.models import User
from tests.factories import make_user

pytestmark = pytest.mark.django_db


def test_an_entry_says_who_did_what_to_what_and_why() -> None:
    vera = make_user("vera")
    record(
        actor=vera,
        action="round.extend",
        subject_kind="event",
        subject_id=7,
        before={"minutes": 15},
        after={"minutes": 20},
        reason="late pair",
    )
    record(actor=None, action="round.close", subject_kind="event", subject_id=7)
    record(actor=None, action="round.close", subject_kind="event", subject_id=8)
    clock, director = audit_of("event", 7)
    assert (clock.actor_id, clock.actor_name, clock.before, clock.reason) == (None, "", None, "")
    assert (director.actor_id, director.actor_name) == (vera.pk, "vera")
    assert (director.before, director.after, director.reason) == (
        {"minutes": 15},
        {"minutes": 20},
        "late pair",
    )


@pytest.mark.parametrize(
    "change", ["UPDATE clock_auditentry SET reason = 'none'", "DELETE FROM clock_auditentry"]
)
def test_the_database_refuses_to_change_an_entry(change: str) -> None:
    record(actor=None, action="round.close", subject_kind="event", subject_id=7)
    with (
        pytest.raises(IntegrityError, match="rows of clock_auditentry are never changed or deleted"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(change)
    assert AuditEntry.objects.get().reason == ""


def test_any_table_can_be_made_append_only_and_back() -> None:
    migration = append_only("clock_outage")
    add, empty = (
        "INSERT INTO clock_outage (began_at, ended_at, seconds, handled) VALUES (now(), now() + interval '1s', 1, true)",
        "DELETE FROM clock_outage",
    )
    with connection.cursor() as cursor:
        cursor.execute(str(migration.sql))
        cursor.execute(add)
        with pytest.raises(IntegrityError), transaction.atomic():
            cursor.execute(empty)
        cursor.execute(str(migration.reverse_sql))
        cursor.execute(empty)
    assert not Outage.objects.exists()


@pytest.mark.parametrize("model", [AuditEntry, DueWork, Outage, Outgoing])
def test_an_administrator_looks_and_changes_nothing(model: type[AuditEntry], client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    assert client.get(reverse(f"{name}_changelist")).status_code == 200
    assert client.get(reverse(f"{name}_add")).status_code == 403
    assert site.is_registered(model)
