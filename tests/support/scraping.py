"""Reading metrics as Prometheus does."""

import socket
import urllib.request
from collections.abc import Mapping

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample


class Scrape:
    """What one address told."""

    def __init__(self, url: str) -> None:
        with urllib.request.urlopen(url, timeout=10) as answer:
            self.text = answer.read().decode()
        self.samples: list[Sample] = [
            sample for family in text_string_to_metric_families(self.text) for sample in family.samples
        ]

    def value(self, name: str, **labels: str) -> float:
        """The sum of the samples of a name that have these labels."""
        return sum(s.value for s in self.samples if s.name == name and _has(s.labels, labels))

    def own(self) -> list[Sample]:
        """The samples of Croupier itself, without those of its process."""
        return [sample for sample in self.samples if sample.name.startswith("croupier_")]


def two_ports() -> int:
    """A free port of 127.0.0.1 behind which the next one is free, too."""
    for _ in range(50):
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
            try:
                socket.create_server(("127.0.0.1", port + 1)).close()
            except (OSError, OverflowError):
                continue
            return port
    raise AssertionError("no two free ports in a row")


def _has(labels: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(labels.get(name) == value for name, value in wanted.items())
