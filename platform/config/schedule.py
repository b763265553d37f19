"""What runs when, as one table. Every entry is safe to run twice, late or never: it only sweeps up what is undone."""

BEAT_SCHEDULE = {
    "tick, should no clock be going": {
        "task": "apps.clock.tasks.tick",
        "schedule": 1.0,
        "options": {"expires": 3},
    },
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
    "forget the guests who do not come back": {
        "task": "apps.users.tasks.forget_guests",
        "schedule": 3600.0,
        "options": {"expires": 3600},
    },
    "see that a worker lives": {
        "task": "apps.pages.tasks.be_seen",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "see that a solver lives": {
        "task": "apps.pages.tasks.be_seen",
        "schedule": 20.0,
        "args": ["solver"],
        "options": {"expires": 20, "queue": "solver"},
    },
}
