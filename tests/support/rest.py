"""A player that knows nothing but the REST API."""

import http.client
import json
import threading
import time
import uuid
from typing import Any
from urllib.parse import urlsplit


class RestPlayer:
    """A guest of a gateway, a new one unless a token is given. Calls that find the service away are sent again."""

    def __init__(self, web: str, token: str = "") -> None:
        parts = urlsplit(web)
        self._host, self._port = parts.hostname or "", parts.port or 80
        self.token = token
        if token:
            return
        made = self.call("POST", "/v1/players", {"displayName": "Rest"})
        self.id, self.token = made["player"]["id"], made["token"]

    def connect(self, timeout: float = 40) -> http.client.HTTPConnection:
        """A connection of its own."""
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def call(self, method: str, path: str, body: object = None, expected: int = 200) -> Any:
        """The answer's JSON; 503 and broken connections are tried again for half a minute."""
        give_up = time.monotonic() + 30
        while True:
            status, answer = 0, None
            connection = self.connect()
            try:
                headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"}
                connection.request(method, path, None if body is None else json.dumps(body), headers)
                response = connection.getresponse()
                status, answer = response.status, json.loads(response.read())
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()
            if status == expected:
                return answer
            if status not in (0, 503) or time.monotonic() > give_up:
                raise AssertionError(f"{method} {path}: {status} {answer}")
            time.sleep(0.1)

    def create(self, **fields: Any) -> Any:
        """Open a match of 6 nimmt!."""
        return self.call("POST", "/v1/matches", {"requestId": uuid.uuid4().hex, "game": "six_nimmt", **fields})

    def get(self, match: str) -> Any:
        """The match as this player sees it."""
        return self.call("GET", f"/v1/matches/{match}")

    def answer(self, match: Any, choice: int = 0) -> Any:
        """Answer the present window with one of its choices; sent again, it is the same request."""
        body = {"requestId": uuid.uuid4().hex, "window": match["you"]["window"]["id"], "choice": choice}
        return self.call("POST", f"/v1/matches/{match['id']}:act", body)

    def events(self, match: str, after: int = 0, wait: str = "0s") -> Any:
        """A page of events by long poll."""
        return self.call("GET", f"/v1/matches/{match}/events?after={after}&wait={wait}")

    def play(self, match: str, until: Any = None) -> Any:
        """Answer every window with its first choice, and wait by long poll in between, until the match is over."""
        view = self.get(match)
        while view["state"] == "RUNNING" and not (until and until(view)):
            if view["you"]["window"]["choices"]:
                view = self.answer(view)["match"]
            else:
                self.events(match, view["sequence"], "10s")
                view = self.get(match)
        return view


class SseReader(threading.Thread):
    """Reads a match's SSE stream to its end, and comes back with Last-Event-ID whenever it breaks."""

    def __init__(self, player: RestPlayer, match: str) -> None:
        super().__init__(daemon=True)
        self._player, self._match = player, match
        self.events: list[Any] = []
        self.opened = 0  # streams that were answered
        self.last_id: str | None = None
        self.first: Any = None
        self.over = False
        self.start()

    def run(self) -> None:
        """Until the stream says that it ends."""
        give_up = time.monotonic() + 120
        while not self.over and time.monotonic() < give_up:
            connection = self._player.connect()
            try:
                self._read(connection)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            finally:
                connection.close()

    def _read(self, connection: http.client.HTTPConnection) -> None:
        headers = {"accept": "text/event-stream", "authorization": f"Bearer {self._player.token}"}
        if self.last_id is not None:
            headers["last-event-id"] = self.last_id
        connection.request("GET", f"/v1/matches/{self._match}/events", headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            response.read()
            time.sleep(0.05)
            return
        self.opened += 1
        fields: dict[str, str] = {}
        while line := response.readline().decode():
            if line != "\n":
                name, _, value = line.rstrip("\n").partition(":")
                fields[name] = value.strip()
                continue
            self._take(fields)
            fields = {}

    def _take(self, fields: dict[str, str]) -> None:
        if "data" not in fields:
            return
        data = json.loads(fields["data"])
        match fields["event"]:
            case "event":
                self.events.append(data)
            case "snapshot":
                self.first = data
            case "end":
                self.over = data["reason"] in ("OVER", "ABANDONED")
        self.last_id = fields.get("id", self.last_id)
