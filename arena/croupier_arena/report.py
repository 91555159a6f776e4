"""What came of a run: means, intervals, and who won how often."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import NormalDist, fmean, stdev
from typing import Any


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its 95 % interval. With one group of deals there is no interval: `low` and `high` are None."""

    mean: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Interval":
        """From independent samples, at least one."""
        mean = fmean(samples)
        if len(samples) < 2:
            return cls(mean, None, None)
        half = _student(len(samples) - 1) * stdev(samples) / math.sqrt(len(samples))
        return cls(mean, mean - half, mean + half)


_FEW = {1: 12.706, 2: 4.303, 3: 3.182}


def _student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: from a table up to 3 degrees of freedom, else by Cornish and Fisher."""
    if freedom in _FEW:
        return _FEW[freedom]
    z = NormalDist().inv_cdf(0.975)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


@dataclass(frozen=True, slots=True)
class BotResult:
    """One bot. All that is paired: the same deals were played from every seat."""

    name: str
    amount: Interval  # in the report's unit
    difference: Interval  # to the mean of the others at the same deals
    wins: float  # share of first places, a shared one counts in part
    faults: int  # windows that it failed to answer legally
    first_fault: str | None


@dataclass(frozen=True, slots=True)
class Report:
    """A run of the arena: `shuffles` series of deals, each played with every bot in every seat."""

    game: str
    preset: str
    options: Mapping[str, Any]  # as in the API's JSON
    seed: int
    shuffles: int
    asked: int  # deals, or whole matches of another preset
    matches: int  # at least as many as were asked for, so that every bot sits in every seat as often
    deals: int
    unit: str
    bots: tuple[BotResult, ...]

    @property
    def faults(self) -> int:
        """Windows that any bot failed to answer legally."""
        return sum(bot.faults for bot in self.bots)

    def to_json(self) -> str:
        """The whole report as a JSON object."""
        return json.dumps(asdict(self), indent=2)

    def to_text(self) -> str:
        """A table for people."""
        width = max(len(bot.name) for bot in self.bots)
        lines = [
            f"{self.game}, {self.preset}, seed {self.seed}: {self.deals} deals, "
            f"{self.shuffles} shuffles x {len(self.bots)} seatings; {self.unit}, 95 % intervals",
            *self._more(),
            f"{'bot':<{width}}  {'mean':>7}  {'interval':^17}  {'to the others':^25}  {'wins':>6}",
        ]
        for bot in self.bots:
            line = (
                f"{bot.name:<{width}}  {bot.amount.mean:>7.2f}  {_range(bot.amount):^17}  "
                f"{bot.difference.mean:>+7.2f} {_range(bot.difference):^17}  {bot.wins:>6.1%}"
            )
            if bot.faults:
                line += f"  {bot.faults} faults, the first: {bot.first_fault}"
            lines.append(line)
        return "\n".join(lines)

    def _more(self) -> Sequence[str]:
        if self.matches == self.asked:
            return ()
        return (f"{self.asked} were asked for, {self.matches} are played: every bot sits in every seat as often",)


def _range(interval: Interval) -> str:
    if interval.low is None or interval.high is None:
        return "-"
    return f"{interval.low:.2f} .. {interval.high:.2f}"
