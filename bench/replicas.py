"""Whether a second process of the service makes as many moves again."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bench.processes import CannotMeasure, Child, running_redis, running_service
from bench.rounds import NO_MOVE, Load, figure, playing, ratio, used_while

_PLAYERS = 2  # processes of clients, each with half of the matches


def run(matches: int, seats: int, seconds: float, rounds: int, durability: str) -> Mapping[str, object]:
    """One replica that has all matches, and two that have half of them each, turn and turn about, over one Redis.

    Both replicas are there all the time. `..._cores`: how many cores the replicas, Redis and the clients used.
    """
    if matches < _PLAYERS:
        raise CannotMeasure(f"each of two processes of clients needs a match: --matches must be {_PLAYERS} or more")
    load = Load("moves", matches // _PLAYERS, seats, seconds)
    found: dict[str, list[dict[str, float]]] = {"one": [], "two": []}
    with ExitStack() as stack:
        redis = stack.enter_context(running_redis(durable=durability == "fsync"))
        assert redis.pid is not None
        services = [stack.enter_context(running_service(redis.url, durability)) for _ in range(2)]
        for _ in range(rounds):
            found["one"].append(_round(load, [services[0]] * 2, redis.pid))
            found["two"].append(_round(load, services, redis.pid))
    result: dict[str, object] = {"matches": matches, "seats": seats, "durability": durability, "rounds": rounds}
    for name, each in found.items():
        for key in each[0]:
            values = [one[key] for one in each]
            result |= figure(f"{name}_{key}", values)
    one, two = found["one"], found["two"]
    cost = "service_cpu_us_per_move"
    return result | {
        **ratio("moves_ratio", [each["moves_per_s"] for each in two], [each["moves_per_s"] for each in one]),
        # As many moves as two cores of the service make, to those of one, whoever else wants these cores.
        **ratio("capacity_ratio", [2 * each[cost] for each in one], [each[cost] for each in two]),
    }


def _round(load: Load, services: Sequence[Child], redis_pid: int) -> dict[str, float]:
    with ExitStack() as stack:
        clients = [stack.enter_context(playing(load, service)) for service in services]
        servers = [pid for service in set(services) for pid in service.pids()]
        players = [pid for client in clients for pid in client.pids()]
        used, results = used_while((servers, [redis_pid], players), clients)
    moves = sum(result["moves"] for result in results)
    if not moves:
        raise CannotMeasure(NO_MOVE)
    elapsed = max(result["seconds"] for result in results)
    accounts = dict(zip(("service", "redis", "client"), used, strict=True))
    return {
        "moves_per_s": moves / elapsed,
        **{f"{name}_cpu_us_per_move": each * 1e6 / moves for name, each in accounts.items()},
        **{f"{name}_cores": each / elapsed for name, each in accounts.items()},
    }
