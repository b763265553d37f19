"""What `pairs` announces, after commit and by ids only."""

from django.dispatch import Signal

event_ranked = Signal()  # event_id: its standings were written or withdrawn from sight
