"""What `tables` announces, by ids only; and one question that it asks."""

from django.dispatch import Signal

board_finished = Signal()
"""table_board_id, purpose, subject: after commit, when a board has ended in whatever way, or was ruled again.

Nobody may hear it: what is finished and not yet taken is a query, `selectors.boards_to_take`.
"""

table_closed = Signal()  # table_id, purpose, subject: after commit

director_view_asked = Signal()
"""table, user: a director wants to see a live table with all its hands; a receiver may raise `PermissionDenied`.

Whoever opened the table knows who takes part in what it belongs to, and refuses those."""

absence_asked = Signal()
"""table: a board is about to be broken off, for somebody is gone too long. A receiver that answers true excuses it: the
table stands still, and whoever let it stand will have everybody start afresh (`presence.resume_tables`)."""
