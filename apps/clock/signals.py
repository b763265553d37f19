"""What the clock announces."""

from django.dispatch import Signal

service_resumed = Signal()
"""After an outage of more than 20 s, once, before any due work: began_at, ended_at, seconds.

Sent inside the transaction that moves the pulse, so that the time is given back exactly once. A receiver handles what
may fail for one event in a savepoint of its own: what it raises leaves the outage marked as not handled.
"""

hidden_entries_asked = Signal()
"""user: somebody looks at the audit log in the administration; a receiver answers with a `Q` of entries that are not for
this user, who takes part himself in what they are about."""
