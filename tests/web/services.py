"""A service at a port of its own, and requests to it that are sent as they stand."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from conqret.runs.session import Session
from conqret.serve.intake import IntakeLimits, ServedRequest
from conqret.serve.service import service_server

ITEM = {"topic": "Ban zoos?", "argument": "Cages are small [1].", "documents": ["Cages are small."]}
JSON = {"Content-Type": "application/json"}


class Got(NamedTuple):
    status: int
    text: str
    headers: http.client.HTTPMessage

    @property
    def json(self) -> Any:
        return json.loads(self.text)


class Running:
    """The service; ``log`` is what was noted."""

    def __init__(
        self, session: Session, *formats: str, limits: IntakeLimits | None = None, keys: tuple[str, ...] = ()
    ) -> None:
        self.log: list[ServedRequest] = []
        found, _ = service_server(
            session, formats, limits=limits, keys=keys, port=0, on_request=self.log.append
        )
        self.port = found.listening.getsockname()[1]
        self.server = found.uvicorn
        self.thread = threading.Thread(target=found.run, args=(lambda address: None,))

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.server.should_exit = True
        self.thread.join(60)
        assert not self.thread.is_alive()

    def noted(self, got: Got) -> ServedRequest:
        """What the log says of a request; it is noted a moment after it is answered."""
        return self.noted_as(got.headers["X-Request-ID"])

    def noted_as(self, name: str) -> ServedRequest:
        """The same of the request with this id."""
        while True:
            for one in self.log:
                if one.id == name:
                    return one
            time.sleep(0.001)

    def get(self, path: str, **headers: str) -> Got:
        return self.send("GET", path, b"", headers)

    def judge(self, name: str, item: object = None, **headers: str) -> Got:
        body = json.dumps(ITEM if item is None else item).encode()
        return self.send("POST", f"/v1/judge/{name}", body, {**JSON, **headers})

    def send(
        self,
        method: str,
        path: str,
        body: bytes | Iterable[bytes],
        headers: Mapping[str, str],
        *more: tuple[str, str],
    ) -> Got:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if isinstance(body, bytes) and body and "Content-Length" not in given:
            given["Content-Length"] = str(len(body))
        for name, value in (*given.items(), *more):
            connection.putheader(name, value)
        connection.endheaders()
        try:
            for part in [body] if isinstance(body, bytes) else body:
                connection.send(part)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it does not read what it refuses
        answer = connection.getresponse()
        got = Got(answer.status, answer.read().decode(), answer.headers)
        connection.close()
        return got
