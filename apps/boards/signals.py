"""What `boards` announces, after commit and by ids only."""

from django.dispatch import Signal

solving_asked = Signal()  # board_id, play_id: somebody waits for what the solver says of them
