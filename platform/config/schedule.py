"""What runs when, as one table. Every entry is safe to run twice, late or never: it only sweeps up what is undone."""

BEAT_SCHEDULE = {
    "compare the boards whose results changed": {
        "task": "apps.results.tasks.sweep",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "rank the events whose boards changed": {
        "task": "apps.pairs.tasks.sweep",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "award the master points of events whose standings changed": {
        "task": "apps.masterpoints.tasks.sweep",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "solve the deals that have no double-dummy table": {
        "task": "apps.boards.tasks.sweep",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
}
