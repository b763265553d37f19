"""Changes to people."""

from django.db import transaction

from apps.users.models import Player, User


@transaction.atomic
def create_player_for(*, user: User, name: str) -> Player:
    """The player of this account; a second call returns the one there is."""
    player, _ = Player.objects.get_or_create(user=user, defaults={"name": name})
    return player


@transaction.atomic
def save_preferences(
    *, user: User, player_name: str, language: str, time_zone: str, suits: str, theme: str
) -> None:
    """What the person chose, in place of what was chosen before; results keep the player and show the new name."""
    user.language, user.time_zone, user.suits, user.theme = language, time_zone, suits, theme
    user.save(update_fields=["language", "time_zone", "suits", "theme"])
    player = create_player_for(user=user, name=player_name)
    if player.name != player_name:
        player.name = player_name
        player.save(update_fields=["name", "name_key"])
