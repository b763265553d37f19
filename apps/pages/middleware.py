"""What is looked at in every request before any page sees it."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class LettersMiddleware:
    """Refuses a form with letters that were lost, here or before (�), so that no page ever stores their sign.

    Bytes that are not UTF-8 are such letters too: Django would read � in their place.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_form = request.content_type == "application/x-www-form-urlencoded"
        if is_form and "\ufffd" in unquote_to_bytes(request.body).decode(errors="replace"):
            return render(request, "pages/letters.html", status=400)
        return self.get_response(request)
