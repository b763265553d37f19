"""The settings of a whole stack, whose clock is moved over the times in which nobody plays."""

from tests.faults.stack_settings import *  # noqa: F403

CLOCK_MAY_BE_MOVED = True
