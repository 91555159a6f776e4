"""A player of Freedom of Speech who knows nothing but REST: an event stream to listen to, and posts to act."""

import http.client
import json
import threading
import time
import uuid
from typing import Any

from support.rest import RestPlayer
from support.spoken_words import LATE, Plan, decide


class RestSpeaker(threading.Thread):
    """One seat. Follows a plan to the end of a match; `problem` is what it could not go on for."""

    def __init__(self, player: RestPlayer, match: str, plan: Plan, told: dict[int, str]) -> None:
        super().__init__(daemon=True)
        self.player, self.match = player, match
        self.problem: Exception | None = None
        self.over = False
        self._plan, self._told = plan, told
        self._you: Any = None
        self._last_id = ""

    def run(self) -> None:
        """Until the stream says that the match is over."""
        try:
            give_up = time.monotonic() + 150
            while not self.over:
                assert time.monotonic() < give_up, f"{self.match} goes on and on"
                self._listen()
        except Exception as problem:  # told by the test's own thread
            self.problem = problem

    def _listen(self) -> None:
        connection = self.player.connect()
        headers = {"accept": "text/event-stream", "authorization": f"Bearer {self.player.token}"}
        if self._last_id:
            headers["last-event-id"] = self._last_id
        try:
            connection.request("GET", f"/v1/matches/{self.match}/events", headers=headers)
            response = connection.getresponse()
            assert response.status == 200
            fields: dict[str, str] = {}
            while line := response.readline().decode():
                if line != "\n":
                    name, _, value = line.rstrip("\n").partition(":")
                    fields[name] = value.strip()
                    continue
                self._take(fields)
                fields = {}
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            connection.close()

    def _take(self, fields: dict[str, str]) -> None:
        self._last_id = fields.get("id", self._last_id)
        if "data" not in fields:
            return
        data = json.loads(fields["data"])
        match fields["event"]:
            case "snapshot":
                self._see(data["match"]["you"])
            case "window":
                self._see(data["you"])
            case "end":
                self.over = data["reason"] == "OVER"

    def _see(self, you: Any) -> None:
        if self._you is not None and you["sequence"] < self._you["sequence"]:
            return
        self._you = you
        while (action := decide(self._you, self._plan, self._told)) is not None:
            body = {
                "requestId": uuid.uuid4().hex,
                "window": self._you["window"]["id"],
                "action": {"freedomOfSpeech": action},
            }
            try:
                answer = self.player.call("POST", f"/v1/matches/{self.match}:act", body)
            except AssertionError as refused:
                if not any(f"'{reason}'" in str(refused) for reason in LATE):
                    raise
                return  # until something has changed
            self._you = answer["match"]["you"]
