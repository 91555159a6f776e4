"""Freedom of Speech as tests play it: made-up words, times that tests can wait for, players that follow a plan."""

from collections.abc import Callable
from random import Random
from typing import Any

# How often it was guessed, skipped and so on is up to a plan: what is meant to become of the card of a view.
Plan = Callable[[Any], str]
QUICK_TIMES = {"timerDuration": "3s", "startDuration": "0.5s", "flagDuration": "0.5s"}
# The answers of the service to whoever was a little too late, or too fast.
LATE = frozenset(
    {
        *("STALE_WINDOW", "TIMER_RUN_OUT", "TOO_FAST", "GAME_OVER"),
        *("NOT_YOUR_PART", "WRONG_ACTION", "FLAG_TOO_LATE", "FLAGGED_ALREADY"),
    }
)


def made_up(count: int, dice: Random) -> list[str]:
    """So many words of 8 letters that stand nowhere by chance."""
    words: set[str] = set()
    while len(words) < count:
        words.add("".join(dice.choice("zxqvwkj") + dice.choice("aeiou") for _ in range(4)))
    return sorted(words)


def options(words: list[str], **more: Any) -> Any:
    """Options as JSON, with these cards and times of a twentieth."""
    return {"freedomOfSpeech": {**QUICK_TIMES, "words": [{"word": word} for word in words], **more}}


def decide(you: Any, plan: Plan, told: dict[int, str]) -> Any:
    """What a player does now, as JSON of an action; None: nothing.

    `you`: what the service tells him, as JSON. `told`: words by card, as givers have told the test.
    A plan says `guess`, `skip`, `foul` (the giver says the word), `flag` (his opponents call the clue a foul); with
    anything else the card is left to the buzz, after a wrong guess.
    """
    window, view = you.get("window"), you["view"]["freedomOfSpeech"]
    if not window:
        return None
    names, card = window["actions"], view["card"]
    if "start" in names:
        return {"start": {}}
    clues = [said for said in view["talk"] if said["kind"] == "CLUE"]
    if "clue" in names:
        told[card] = view["word"]["word"]
        meant = plan(view)
        if meant == "foul":
            return {"clue": {"text": f"it is {told[card]}"}}
        if meant == "skip" and "skip" in names:
            return {"skip": {}}
        return None if clues else {"clue": {"text": f"number {card}"}}
    if "guess" in names and clues and card in told:
        if plan(view) == "guess":
            return {"guess": {"text": told[card]}}
        guessed = any(said["seat"] == you["seat"] for said in view["talk"])
        return None if guessed else {"guess": {"text": "no idea"}}
    if "flag" in names and clues and plan(view) == "flag":
        unflagged = [clue for clue in view["openClues"] if clue["mayFlag"]]
        return {"flag": {"clue": unflagged[0]["clue"]}} if unflagged else None
    return None
