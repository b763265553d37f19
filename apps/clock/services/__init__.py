"""Time at work. What other apps call: plan a transition, put a message into the outbox, write into the audit log."""

from apps.clock.services.audit import record
from apps.clock.services.outbox import send, send_all
from apps.clock.services.planning import drop, schedule, schedule_all, shift
from apps.clock.services.ticking import Ticked, tick

__all__ = ["Ticked", "drop", "record", "schedule", "schedule_all", "send", "send_all", "shift", "tick"]
