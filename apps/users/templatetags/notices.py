"""How many notices wait, for the head of every page."""

from django import template

from apps.users.models import User
from apps.users.selectors import count_unread

register = template.Library()


@register.filter
def unread(user: object) -> int:
    """The number of notices that this viewer has not read; 0 for a visitor."""
    return count_unread(user) if isinstance(user, User) else 0
