"""A result as text."""

from collections.abc import Iterator, Mapping

_SPREAD = "_spread"


def table(result: Mapping[str, object]) -> str:
    """A line for each figure, with its spread; results of several sizes stand side by side."""
    return "\n".join(_lines(result))


def _lines(result: Mapping[str, object]) -> Iterator[str]:
    for key, value in result.items():
        if isinstance(value, Mapping):
            yield from _columns(key, value)
        elif not _is_spread(key, result):
            yield f"{key:40} {_with_spread(key, result)}"


def _columns(key: str, results: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    yield f"{key:40} " + " ".join(f"{name:>26}" for name in results)
    for name in next(iter(results.values())):
        if not any(_is_spread(name, each) for each in results.values()):
            yield f"{name:40} " + " ".join(f"{_with_spread(name, each):>26}" for each in results.values())


def _is_spread(key: str, result: Mapping[str, object]) -> bool:
    return key.endswith(_SPREAD) and key.removesuffix(_SPREAD) in result


def _with_spread(key: str, result: Mapping[str, object]) -> str:
    spread = result.get(key + _SPREAD)
    return f"{result[key]} ({spread[0]}..{spread[1]})" if isinstance(spread, list) else f"{result[key]}"
