"""Two players, no talon: a second, small implementation of the rules that shares nothing with the engine, and a solver.

All cards are known to whoever counted, so both sides can be played exactly. No line is endless: with each bout either
cards leave the game, or whoever leads again has fewer of them.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import NamedTuple

HEIGHTS = {rank: height for height, rank in enumerate("23456789TJQKA*")}
MOST = 6


class Position(NamedTuple):
    """Whose turn it is follows from the phase: L and T are the attacker's, D is the defender's; O is the end."""

    hands: tuple[frozenset[str], frozenset[str]]
    defender: int
    table: frozenset[tuple[str, str]] = frozenset()  # attack, cover or ""
    taking: bool = False
    phase: str = "L"


def rank_of(card: str) -> str:
    return "*" if card in ("JB", "JR") else card[0]


def does_beat(card: str, attack: str, trump: str) -> bool:
    if rank_of(attack) == "*" or rank_of(card) == "*":
        return rank_of(attack) != "*"
    if card[1] != attack[1]:
        return card[1] == trump
    return HEIGHTS[card[0]] > HEIGHTS[attack[0]]


def sets(hand: frozenset[str], most: int) -> Iterator[tuple[str, ...]]:
    for count in range(1, min(most, len(hand)) + 1):
        for chosen in combinations(sorted(hand), count):
            if len({rank_of(card) for card in chosen}) == 1:
                yield chosen


def following(pos: Position, kind: str, trump: str) -> Iterator[Position]:
    """All positions one act away."""
    defender, attacker = pos.defender, 1 - pos.defender
    if pos.phase == "L":
        for chosen in sets(pos.hands[attacker], min(MOST, len(pos.hands[defender]))):
            yield laid(pos, attacker, chosen)._replace(phase="D")
    elif pos.phase == "T":
        ranks = {rank_of(card) for pair in pos.table for card in pair if card}
        yield end(pos)
        for chosen in sets(pos.hands[attacker], room(pos)):
            if rank_of(chosen[0]) in ranks:
                more = laid(pos, attacker, chosen)
                yield to_throw(more) if pos.taking else more._replace(phase="D")
    elif pos.phase == "D":
        yield from defences(pos, kind, trump)


def defences(pos: Position, kind: str, trump: str) -> Iterator[Position]:
    defender, attacker = pos.defender, 1 - pos.defender
    hand = pos.hands[defender]
    for attack, cover in pos.table:
        for card in hand if not cover else ():
            if does_beat(card, attack, trump):
                table = pos.table - {(attack, "")} | {(attack, card)}
                beaten = pos._replace(hands=without(pos.hands, defender, (card,)), table=table)
                if all(cover for _, cover in table):
                    beaten = end(beaten) if kind == "PROSTOY" else to_throw(beaten)
                yield beaten
    taken = pos._replace(taking=True)
    yield end(taken) if kind == "PROSTOY" else to_throw(taken)
    if kind == "PEREVODNOY" and not any(cover for _, cover in pos.table) and pos.hands[attacker]:
        most = min(MOST, len(pos.hands[attacker])) - len(pos.table)
        for chosen in sets(hand, most):
            if {rank_of(chosen[0])} == {rank_of(attack) for attack, _ in pos.table}:
                yield laid(pos, defender, chosen)._replace(defender=attacker)


def without(
    hands: tuple[frozenset[str], frozenset[str]], seat: int, cards: tuple[str, ...]
) -> tuple[frozenset[str], frozenset[str]]:
    left = hands[seat] - set(cards)
    return (left, hands[1]) if seat == 0 else (hands[0], left)


def laid(pos: Position, seat: int, cards: tuple[str, ...]) -> Position:
    table = pos.table | {(card, "") for card in cards}
    return pos._replace(hands=without(pos.hands, seat, cards), table=table)


def room(pos: Position) -> int:
    unbeaten = sum(not cover for _, cover in pos.table)
    return min(len(pos.hands[pos.defender]) - unbeaten, MOST - len(pos.table))


def to_throw(pos: Position) -> Position:
    return pos._replace(phase="T") if room(pos) > 0 and pos.hands[1 - pos.defender] else end(pos)


def end(pos: Position) -> Position:
    hands, leader = list(pos.hands), pos.defender
    if pos.taking:
        hands[pos.defender] |= {card for pair in pos.table for card in pair if card}
        leader = 1 - pos.defender
    phase = "L" if hands[0] and hands[1] else "O"
    return Position((hands[0], hands[1]), 1 - leader, phase=phase)


def result(pos: Position) -> int:
    """Of the end: 1 if seat 0 has won, -1 if it is the fool, 0 for a draw."""
    return bool(pos.hands[1]) - bool(pos.hands[0])


def solve(start: Position, kind: str, trump: str) -> tuple[int, set[Position]]:
    """What the first position is worth to seat 0 with both sides played exactly; and all positions that can come."""

    @cache
    def worth(pos: Position) -> int:
        reached.add(pos)
        if pos.phase == "O":
            return result(pos)
        mover = pos.defender if pos.phase == "D" else 1 - pos.defender
        values = [worth(other) for other in following(pos, kind, trump)]
        return max(values) if mover == 0 else min(values)

    reached: set[Position] = set()
    return worth(start), reached
