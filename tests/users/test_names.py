"""Names in whatever direction they are written."""

from apps.users.models import Notice
from apps.users.templatetags.names import bdi, in_text, together

TAMAR, SAMI = "תמר הדסי", "سمي دروري"


def test_each_name_of_a_pair_is_isolated_and_what_is_no_markup_stays_none() -> None:
    assert together([TAMAR, SAMI]) == f"<bdi>{TAMAR}</bdi> – <bdi>{SAMI}</bdi>"
    assert together([]) == ""
    assert bdi("<b>&") == "<bdi>&lt;b&gt;&amp;</bdi>"


def test_in_a_text_only_names_from_right_to_left_get_marks() -> None:
    assert in_text(["Nora", TAMAR]) == f"Nora – \u2068{TAMAR}\u2069"
    assert in_text(["Nora", "林书远"]) == "Nora – 林书远"


def test_partners_in_a_notice_do_not_change_places() -> None:
    notice = Notice(
        message="You are entered in %(event)s as pair %(pair)s: %(names)s.",
        params={"event": "Cup", "pair": 7, "names": f"{TAMAR} – Nora"},
    )
    assert str(notice) == f"You are entered in Cup as pair 7: \u2068{TAMAR}\u2069 – Nora."
