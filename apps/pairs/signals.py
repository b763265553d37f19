"""What `pairs` announces, after commit and by ids only."""

from django.dispatch import Signal

event_ranked = Signal()  # event_id: its standings were written or withdrawn from sight
event_finished = (
    Signal()
)  # event_id: sent inside the transaction of the last step; receivers only schedule work
