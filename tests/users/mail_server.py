"""A mail server as a test wants it: one that takes mail, one that refuses, one that never says a word."""

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

GOOD = {"EHLO": "250 here", "MAIL": "250 ok", "RCPT": "250 ok", "DATA": "354 go on", "QUIT": "221 bye"}


@dataclass
class MailServer:
    """Listens on a port of its own; `answers` says what it answers to which command."""

    listener: socket.socket
    answers: Mapping[str, str] | None
    taken: list[str] = field(default_factory=list)

    @property
    def port(self) -> int:
        number: int = self.listener.getsockname()[1]
        return number

    def serve(self) -> None:
        while True:
            try:
                caller, _ = self.listener.accept()
            except OSError:
                return
            with caller, caller.makefile("rwb", buffering=0) as line:
                if self.answers is None:
                    line.readline()  # until the caller has had enough
                else:
                    self._talk(line, self.answers)

    def _talk(self, line: socket.SocketIO, answers: Mapping[str, str]) -> None:
        line.write(b"220 ready\r\n")
        while said := line.readline():
            command = said.decode().split()[0].upper()
            answer = answers.get(command, "502 what?")
            line.write(f"{answer}\r\n".encode())
            if answer.startswith("354"):
                text = b""
                while not text.endswith(b"\r\n.\r\n"):
                    text += line.readline()
                self.taken.append(text.decode())
                line.write(b"250 taken\r\n")


@contextmanager
def mail_server(answers: Mapping[str, str] | None) -> Iterator[MailServer]:
    """A running server; None: it takes calls and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = MailServer(listener, answers)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    assert not thread.is_alive()
