"""Changes to people."""

from django.db import transaction

from apps.users.models import Player, User


@transaction.atomic
def create_player_for(*, user: User, name: str) -> Player:
    """The player of this account; a second call returns the one there is."""
    player, _ = Player.objects.get_or_create(user=user, defaults={"name": name})
    return player
