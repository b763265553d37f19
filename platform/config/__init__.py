"""Wiring. Nothing imports it but Django, Celery and the commands; the Celery app is loaded so that tasks find it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
