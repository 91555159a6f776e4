"""Make the pages that are made from the proto files and the catalogue of errors, into OUT (default: docs).

Run by `make docs`; a test runs it into an empty folder and compares. Exit code 2: the API breaks a promise.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import openapi_promises

from croupier_gateway import catalogues
from croupier_gateway.openapi import document

ROOT = Path(__file__).resolve().parent.parent
PROMISES = "openapi-promises.txt"
_MADE = "Made by `make docs` from the proto files; a server shows the same at `{address}`.\n"


def pages() -> dict[str, str]:
    """The pages by file name."""
    return {
        "openapi.json": json.dumps(document(), indent=1, ensure_ascii=False) + "\n",
        "errors.md": "".join(_errors()),
        "events.md": "".join(_events()),
    }


def main(out: Path) -> int:
    """Write the pages and renew the promises; 2 if some promise is broken and the changelog says nothing of it."""
    for name, text in pages().items():
        (out / name).write_text(text, encoding="utf-8")
    kept = ROOT / "docs" / PROMISES
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    text, faults = openapi_promises.renewed(kept.read_text(encoding="utf-8"), document(), changelog)
    if faults:
        print("The REST API breaks what it promised:", *faults, sep="\n  ", file=sys.stderr)
        print('Mend it, or add an entry under "### API" in CHANGELOG.md that says so.', file=sys.stderr)
        return 2
    (out / PROMISES).write_text(text, encoding="utf-8")
    return 0


def _errors() -> Iterable[str]:
    yield "# Errors\n\n" + _MADE.format(address="/docs/errors")
    yield (
        "\nA refusal is `application/problem+json`. Its `reason` is one of these and never changes its meaning; its\n"
        "text is in English, Russian or Ukrainian, with the values of `metadata` filled in. What to do about each\n"
        "status is in [retries](retries.md).\n"
    )
    for section in catalogues.errors():
        yield f"\n## {section.title}\n\n| reason | text |\n|---|---|\n"
        yield from (f"| `{entry.name}` | {_cell(entry.text)} |\n" for entry in section.entries)


def _events() -> Iterable[str]:
    yield "# Events\n\n" + _MADE.format(address="/docs/events")
    yield (
        "\nThe `type` of an event names its payload, whose members are in lowerCamelCase: `six_nimmt.row_taken` comes\n"
        'with `"sixNimmt": {"rowTaken": {...}}`. A payload has what the viewer may know. Seats, rows and the like are\n'
        "counted from 0. How to follow events is in [streams and resume](streams-and-resume.md).\n"
    )
    for section in catalogues.events():
        yield f"\n## {section.title}\n\n{section.text}\n"
        for entry in section.entries:
            yield f"\n### `{entry.name}`\n\n{entry.text}\n"
            if entry.fields:
                yield "\n| field | kind | |\n|---|---|---|\n"
                yield from (f"| `{name}` | {kind} | {_cell(text)} |\n" for name, kind, text in entry.fields)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"))
