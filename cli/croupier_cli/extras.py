"""Modules that are not here: a fault of ours, or an extra that was not installed."""


def is_ours(problem: ModuleNotFoundError) -> bool:
    """No extra brings what is missing."""
    return problem.name is None or problem.name.startswith("croupier")
