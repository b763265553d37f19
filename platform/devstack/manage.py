"""Any management command against the servers of `deploy/run`: `deploy/manage`.

They are started for the time of the command when they are not up. A database made by that is migrated first.
"""

import os
import signal
import sys

from devstack.embedded import ServerError
from devstack.servers import start_servers
from devstack.state import ADDRESSES, State, state_folder
from devstack.supervisor import Supervisor


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    state, supervisor, new = State(state_folder()), Supervisor(), False
    try:
        if all(os.environ.get(name) for name in ADDRESSES):
            new = start_servers(supervisor, state.folder)
        elif state.take() or not state.use():
            new = start_servers(supervisor, state.folder)
            state.announce("")
        run(sys.argv[1:], migrate=new)
    except ServerError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        if supervisor.programs:
            state.wait_for_users()
            supervisor.stop()


def run(arguments: list[str], *, migrate: bool) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    from django.core.management import call_command, execute_from_command_line

    if migrate:
        import django

        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
    execute_from_command_line(["deploy/manage", *arguments])


if __name__ == "__main__":
    main()
