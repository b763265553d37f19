"""What is looked at in every request before any page sees it."""

from collections.abc import Callable
from urllib.parse import unquote_to_bytes

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


class LettersMiddleware:
    """Refuses a form whose bytes are no letters: Django would read � in their place, and pages would store it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.content_type == "application/x-www-form-urlencoded":
            try:
                unquote_to_bytes(request.body).decode()
            except UnicodeDecodeError:
                return render(request, "400.html", status=400)
        return self.get_response(request)
