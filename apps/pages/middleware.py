"""What is looked at in every request before any page sees it."""

import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

_NOT_ASCII = re.compile(rb"(?:[\x80-\xff]|%[89A-Fa-f][0-9A-Fa-f])+")
"""Letters of a form that are not ASCII, as many as stand together; no letter goes beyond them."""


class LettersMiddleware:
    """Refuses a form with letters that were lost, here or before (�), so that no page ever stores their sign.

    Bytes that are not UTF-8 are such letters too: Django would read � in their place. A form that is too long for the
    site is refused unread.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.content_type == "application/x-www-form-urlencoded":
            try:
                form = request.body
            except RequestDataTooBig:
                return render(request, "pages/too_long.html", status=413)
            if any(_is_lost(letters[0]) for letters in _NOT_ASCII.finditer(form)):
                return render(request, "pages/letters.html", status=400)
        return self.get_response(request)


def _is_lost(letters: bytes) -> bool:
    return "\ufffd" in unquote_to_bytes(letters).decode(errors="replace")
