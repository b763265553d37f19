"""What the log says of requests."""

import logging

from django.core.exceptions import PermissionDenied


def refused_in_a_line(record: logging.LogRecord) -> bool:
    """That somebody may not see a page is one line: where the refusal stands in our code tells nobody anything."""
    if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
        record.exc_info = record.exc_text = None
    return True
