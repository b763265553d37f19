"""What can be wrong with a board, a contract or a result: worded for the person who gave it."""

from typing import Any


class BridgeError(ValueError):
    """Something that bridge does not allow.

    `message` is an English sentence with named places (`%(tricks)s`), `params` fills them; whoever shows the error
    translates the one and keeps the other.
    """

    def __init__(self, message: str, **params: Any) -> None:
        super().__init__(message % params if params else message)
        self.message = message
        self.params = params


class ImpossibleDeal(BridgeError):
    """Cards that no four players can hold at once."""


class ImpossibleContract(BridgeError):
    """A contract that no auction can end in."""


class ImpossibleResult(BridgeError):
    """A result that no play of 13 tricks can have, or a score that no result gives."""


class ImpossibleAward(BridgeError):
    """An adjusted score that the Laws do not know."""
