"""Examples of the main calls; a test sends them and compares the answers' shape."""

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

EXAMPLES: Mapping[str, Any] = json.loads((files("croupier_gateway.openapi") / "examples.json").read_text("utf-8"))
"""By rpc: `requests` and `answers`, each by name with a `summary` and a `value`."""
