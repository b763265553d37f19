"""What `pairs` announces, after commit and by ids only."""

from django.dispatch import Signal

event_ranked = Signal()  # event_id: the standings of a published event were written
