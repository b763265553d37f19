"""What is answered to those who cannot have what they ask for, worded for them."""

from bridge.errors import BridgeError


class Refused(BridgeError):
    """What was asked for cannot be."""


class Stale(Refused):
    """It was decided on a table that has changed meanwhile."""


class Closed(Refused):
    """Nothing is played at the table."""
