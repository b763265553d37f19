"""What `users` announces."""

from django.dispatch import Signal

account_closed = Signal()
"""user, by: nobody signs in to this account any more, in the transaction that closes it. Where it plays, it leaves."""
