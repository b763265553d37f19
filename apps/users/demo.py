"""The accounts of the demo: who they are, and how one signs in as them. `load_demo` makes them, `deploy/run` shows them."""

DEMO_LOGINS: tuple[tuple[str, str, str], ...] = (  # role, user name, password
    ("player", "player", "datum-demo"),
    ("director", "director", "datum-demo"),
    ("administrator", "admin", "datum-demo"),
)
