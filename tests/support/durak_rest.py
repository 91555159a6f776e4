"""A player of Durak that knows nothing but the REST API, and looks for what is rare."""

from typing import Any

from support.rest import RestPlayer


class Scripted:
    """One seat. `done` names what it did: transfer, throw_after_take, throw, pass_ahead, claim."""

    def __init__(self, player: RestPlayer, *, eager: bool = True) -> None:
        self.player = player
        self.done: set[str] = set()
        self._eager = eager  # looks for what is rare

    def play(self, match: str, slow: "Scripted | None" = None) -> Any:
        """To the end, by long polls; the match as it is then. `slow` acts where this seat has nothing to do."""
        view = self.player.get(match)
        while view["state"] == "RUNNING":
            after = self._act(view)
            if after is None:
                if slow is None or not slow.act(match):
                    self.player.events(match, view["sequence"], "10s")
                after = self.player.get(match)
            view = after
        return view

    def act(self, match: str) -> bool:
        """One act, if there is one to make."""
        view = self.player.get(match)
        return view["state"] == "RUNNING" and self._act(view) is not None

    def _act(self, view: Any) -> Any:
        window = view["you"]["window"]
        chosen = self._choice(view)
        if chosen is None:
            return None
        what = self._name(view, window["choices"][chosen]["durak"])
        try:
            after = self.player.answer(view, chosen)["match"]
        except AssertionError as refused:
            if ": 409 " not in str(refused):  # others were faster, and the window is another one
                raise
            return self.player.get(view["id"])
        self.done.add(what)
        return after

    def _choice(self, view: Any) -> int | None:
        window = view["you"]["window"]
        choices = [choice["durak"] for choice in window["choices"]]
        must = view["you"]["seat"] in window["must"]
        wanted = ("claim", "transfer", "throw", "pass") if self._eager else ()
        for kind in (*wanted, *(("beat", "lead", "pass", "take") if must else ())):
            for index, choice in enumerate(choices):
                if kind in choice and (kind != "throw" or must):
                    return index
        return 0 if must and choices else None

    def _name(self, view: Any, action: Any) -> str:
        (kind,) = action
        if kind == "pass" and view["you"]["seat"] not in view["you"]["window"]["must"]:
            return "pass_ahead"
        if kind == "throw" and view["you"]["view"]["durak"]["taking"]:
            return "throw_after_take"
        return str(kind)
