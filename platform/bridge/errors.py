"""What is said to a person: what can be wrong with a board, a contract or a result, and other sentences."""

from typing import Any


class Sentence:
    """A sentence in English with named places, which whoever shows it translates and fills with `params`."""

    def __init__(self, message: str, **params: Any) -> None:
        self.message, self.params = message, params

    def __str__(self) -> str:
        return self.message % self.params


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


class IllegalAction(BridgeError):
    """Something that a player, or whoever keeps the table, may not do now."""


class IllegalCall(IllegalAction):
    """A call that the Laws do not allow now."""


class IllegalCard(IllegalAction):
    """A card that the Laws do not allow now."""
