"""What the REST API promises its clients, as a list of lines. One that goes away breaks somebody, and so does a demand
that is new.

`docs/openapi-promises.txt` holds the list of the last accepted API. `tools/generate_docs.py` renews it: freely where
promises are only added, else only when CHANGELOG.md has a new entry under "### API" that says what changed.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

Document = Mapping[str, Any]
_HEADER = "# Renewed for: "
_NOTHING = "nothing so far"


def promises(document: Document) -> set[str]:
    """Lines `promise ...` and `demand ...` of an OpenAPI document."""
    lines: set[str] = set()
    taken: set[str] = set()
    answered: set[str] = set()
    for path, verbs in document["paths"].items():
        for verb, operation in verbs.items():
            where = f"{verb.upper()} {path}"
            lines.add(f"promise {where}")
            if not operation["security"]:
                lines.add(f"promise {where} needs no token")
            for parameter in operation.get("parameters", ()):
                lines |= _parameter(where, _resolved(document, parameter))
            for media, content in operation.get("requestBody", {}).get("content", {}).items():
                lines.add(f"promise {where} takes {media} {_kind(content['schema'])}")
                taken |= _names(content["schema"])
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    for media, content in response["content"].items():
                        lines.add(f"promise {where} answers {status} {media} {_kind(content['schema'])}")
                        answered |= _names(content["schema"])
    answered.add("Problem")
    schemas = document["components"]["schemas"]
    for name in sorted(_closed(schemas, taken)):
        lines |= _taken(name, schemas[name])
    for name in sorted(_closed(schemas, answered)):
        lines |= _answered(name, schemas[name])
    return lines


def broken(old: Iterable[str], new: Iterable[str]) -> list[str]:
    """What breaks clients: promises that are gone, demands that are new of what was there before."""
    old, new = set(old), set(new)
    gone = sorted(line.removeprefix("promise ") for line in old - new if line.startswith("promise "))
    asked = sorted(line.removeprefix("demand ") for line in new - old if line.startswith("demand "))
    known = [line.removeprefix("promise ") for line in old]
    return [f"gone: {line}" for line in gone] + [
        f"new: {line}" for line in asked if any(each.startswith(line.split(" needs ")[0]) for each in known)
    ]


def read(text: str) -> tuple[str, set[str]]:
    """The entry of the changelog that the list was renewed for, and the list."""
    header, *lines = text.splitlines()
    return header.removeprefix(_HEADER), set(lines)


def written(entry: str, lines: Iterable[str]) -> str:
    """The list as a file."""
    return "\n".join([_HEADER + (entry or _NOTHING), *sorted(lines)]) + "\n"


def accounted(entry: str, changelog: str) -> bool:
    """The changelog has the entry that the list was renewed for."""
    return entry == _NOTHING or entry in api_entries(changelog)


def api_entries(changelog: str) -> list[str]:
    """The entries under every "### API", newest first, each on one line."""
    sections = re.findall(r"^### API\n(.*?)(?=^##|\Z)", changelog, re.MULTILINE | re.DOTALL)
    return [" ".join(entry.split()) for section in sections for entry in re.split(r"^- ", section, flags=re.M)[1:]]


def renewed(old: str, document: Document, changelog: str) -> tuple[str, list[str]]:
    """The new list as a file, and what forbids it: broken promises that no new entry of the changelog owns up to."""
    entry, lines = read(old)
    now = promises(document)
    faults = broken(lines, now)
    if faults:
        fresh = [each for each in api_entries(changelog)[:1] if each != entry]
        if not fresh:
            return old, faults
        entry = fresh[0]
    return written(entry, now), []


def _parameter(where: str, parameter: Mapping[str, Any]) -> set[str]:
    name = f"{where} {parameter['in']} {parameter['name']}"
    lines = {f"promise {name}: {_kind(parameter['schema'])}"}
    if parameter.get("required") and parameter["in"] != "path":
        lines.add(f"demand {where} needs {parameter['in']} {parameter['name']}")
    return lines


def _taken(name: str, schema: Mapping[str, Any]) -> set[str]:
    lines = {f"promise {name} has {value}" for value in schema.get("enum", ())}
    for field, its in schema.get("properties", {}).items():
        lines.add(f"promise {name} takes {field}: {_kind(its)}")
    return lines | {f"demand {name} needs {field}" for field in schema.get("required", ())}


def _answered(name: str, schema: Mapping[str, Any]) -> set[str]:
    lines = {f"promise {name} has {value}" for value in schema.get("enum", ())}
    for field, its in schema.get("properties", {}).items():
        always = " always" if field in schema.get("required", ()) else ""
        lines.add(f"promise {name} answers {field}: {_kind(its)}{always}")
    return lines


def _kind(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return _kind(schema["anyOf"][0])
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if kinds[0] == "array":
        return f"list of {_kind(schema['items'])}"
    return " ".join(filter(None, (str(kinds[0]), schema.get("format", ""))))


def _resolved(document: Document, value: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in value:
        return value
    at: Any = document
    for part in str(value["$ref"]).removeprefix("#/").split("/"):
        at = at[part]
    found: Mapping[str, Any] = at
    return found


def _names(value: Any) -> set[str]:
    """The schemas that are referred to, anywhere inside."""
    if isinstance(value, dict):
        here = {str(value["$ref"]).rsplit("/", 1)[1]} if "$ref" in value else set()
        return here.union(*(_names(each) for each in value.values()))
    return set().union(*(_names(each) for each in value)) if isinstance(value, list) else set()


def _closed(schemas: Mapping[str, Any], names: set[str]) -> set[str]:
    while (more := names | _names([schemas[name] for name in names])) != names:
        names = more
    return names
