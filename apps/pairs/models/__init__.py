"""Pairs events: who played, in how many sessions, how they stand; and the events that run themselves."""

from apps.pairs.models.desk import DeskSeat, Invitation
from apps.pairs.models.events import Event, Session, Standing
from apps.pairs.models.rounds import Entrant, Entry, Round, RoundScore, Seat
from apps.pairs.models.slips import Slip, SlipEntry
from apps.pairs.models.swiss import Series, Swiss

__all__ = [
    "DeskSeat",
    "Entrant",
    "Entry",
    "Event",
    "Invitation",
    "Round",
    "RoundScore",
    "Seat",
    "Series",
    "Session",
    "Slip",
    "SlipEntry",
    "Standing",
    "Swiss",
]
