"""What `tables` announces, and what it asks of whoever opened a table."""

from django.dispatch import Signal

board_finished = Signal()
"""table_board_id, purpose, subject: after commit, when a board has ended in whatever way.

Nobody may hear it: what is finished and not yet taken is a query, `selectors.boards_to_take`.
"""

table_closed = Signal()  # table_id, purpose, subject: after commit

director_called = Signal()
"""table: it calls the director, in the transaction of the call. Whoever opened it tells those who direct there."""

director_answered = Signal()  # table: its call was settled, in the same transaction

correction_period_asked = Signal()
"""table_board: one of a closed table; a receiver answers true while what it came to can still be corrected."""

correction_period_held = Signal()
"""table_board: a receiver keeps the answer to `correction_period_asked` as it is until the transaction ends.

Asked before the table or any of its calls is held: what a table belongs to comes first in the order of locks."""

asked_afterwards = Signal()
"""call, user: who asks the director for his side about a board of a closed table. In the transaction of the question."""

answered_afterwards = (
    Signal()
)  # call: the director has answered, or corrected the result; in the same transaction

correction_page_asked = Signal()
"""table_board: a receiver answers with the address where a director corrects what it came to, if that is anywhere."""

verdict_asked = Signal()
"""table_board: one that is over; a receiver answers with a `selectors.Verdict` when the director changed what it came to."""

director_view_asked = Signal()
"""table, user: a director wants to see a live table with all its hands; a receiver may raise `PermissionDenied`.

Whoever opened the table knows who takes part in what it belongs to, and refuses those."""

hidden_tables_asked = Signal()
"""user: looks at tables, and what was said there, in the administration; a receiver answers with a query for those that
are not for this user, who plays in what they belong to."""

titles_asked = Signal()
"""players, by id: they sit down; a receiver answers with what stands beside the names of those who have a title."""

publication_asked = Signal()
"""table_board: one that is over; a receiver answers true when everybody may see it, for nobody can play it any more.

Without an answer it is for those who sat there."""

absence_asked = Signal()
"""table: a board is about to be broken off, for somebody is gone, or silent, too long. A receiver that answers true excuses it: the
table stands still, and whoever let it stand will have everybody start afresh (`presence.resume_tables`)."""
