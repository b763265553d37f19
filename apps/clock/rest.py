"""When something outside the house fails, it is left alone for a while: nobody waits for it in vain again and again."""

import time


class Rest:
    """Whether it is worth trying. After a rest one caller is let through to look; the others need not wait as well."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.until = 0.0

    def is_on(self) -> bool:
        """Whether it is left alone now; whoever hears that it is not tries, and says what came of it."""
        moment = time.monotonic()
        if moment < self.until:
            return True
        if self.until:
            self.until = moment + self.seconds
        return False

    def begin(self) -> None:
        """It has failed."""
        self.until = time.monotonic() + self.seconds

    def end(self) -> None:
        """It is there."""
        self.until = 0.0
