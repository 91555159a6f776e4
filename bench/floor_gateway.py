"""Bare routes under the gunicorn of the gateway: `python -m bench.floor_gateway TARGET STREAMS`.

One route makes one gRPC call; the other one passes a stream on as server-sent events.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import grpc
from flask import Flask, Response, request
from gunicorn.arbiter import Arbiter

from croupier.v1 import matches_pb2, matches_pb2_grpc
from croupier_gateway.config import RESERVED_THREADS, Settings
from croupier_gateway.main import _listen, _Server


class _Floor(_Server):
    """The gateway's own server around another application."""

    def load_config(self) -> None:
        super().load_config()
        for name, value in {
            "worker_class": "gthread",
            "logger_class": "gunicorn.glogging.Logger",
            "accesslog": None,
            "graceful_timeout": 1,
            "worker_exit": lambda _arbiter, _worker: None,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        return _application(self._settings.grpc_target)

    def _begin(self, worker: Any) -> None:
        print(f"web: {self._url}", flush=True)


def _application(target: str) -> Flask:
    app = Flask("floor")

    @cache  # made in the worker, since gRPC does not survive a fork
    def stub() -> matches_pb2_grpc.MatchesStub:
        return matches_pb2_grpc.MatchesStub(grpc.insecure_channel(target))

    @app.post("/v1/matches/<match>:act")
    def act(match: str) -> dict[str, object]:
        given = request.get_json()
        answer = stub().Act(
            matches_pb2.ActRequest(
                match=match, request_id=given["requestId"], window=given["window"], choice=given["choice"]
            )
        )
        window = answer.match.you.window
        asked = {"window": {"id": window.id, "must": list(window.must)}}
        return {"appliedSequence": answer.applied_sequence, "match": {"you": asked}}

    @app.get("/v1/matches/<match>/events")
    def events(match: str) -> Response:
        def blocks() -> Iterator[str]:
            for message in stub().WatchMatch(matches_pb2.WatchMatchRequest(match=match)):
                event = message.event
                data = json.dumps({"sequence": event.sequence, "type": event.type, "mark": event.mark})
                yield f"event: event\nid: {event.sequence}\ndata: {data}\n\n"

        return Response(blocks(), mimetype="text/event-stream")

    return app


if __name__ == "__main__":
    settings = Settings(
        grpc_target=sys.argv[1], port=0, threads=int(sys.argv[2]) + RESERVED_THREADS, log_level="WARNING"
    )
    Arbiter(_Floor(settings, _listen(settings))).run()
