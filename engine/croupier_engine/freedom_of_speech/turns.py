"""Freedom of Speech: turns, timers, cards, and how it ends [3, 4, 5]."""

from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.model import FORFEITS, STEPS, TEAMS, Card, Foul, Phase, State, Team
from croupier_engine.freedom_of_speech.move import Move
from croupier_engine.freedom_of_speech.options import ForfeitMode, Options, TurnMode
from croupier_engine.freedom_of_speech.questions import giver, members, other, scores, sees_card, word
from croupier_engine.freedom_of_speech.words import words_of
from croupier_engine.game import By, Seat


def is_random(options: Options) -> bool:
    """The timer's length is drawn, and secret."""
    return options.timer_max_duration > 0


def chance(state: State) -> int:
    """The size of the permutation that is wanted; 0: none."""
    match state.phase:
        case Phase.LOT:
            return 2
        case Phase.SHUFFLE:
            return len(words_of(state.options))
        case Phase.RESHUFFLE:
            return len(state.dead)
        case Phase.TIMER:
            return STEPS
        case _:
            return 0


def answer(move: Move, order: tuple[int, ...]) -> None:
    """The dealer's answer to the present question of chance."""
    state = move.state
    match state.phase:
        case Phase.LOT:
            move.tell("team_drawn", events.TeamDrawn(order[0]))
            move.set(team=order[0], phase=Phase.SHUFFLE)
        case Phase.SHUFFLE:
            move.set(deck=tuple(order))
            move.tell("shuffled", events.Shuffled(len(order), again=False))
            get_ready(move)
        case Phase.RESHUFFLE:
            move.set(deck=tuple(state.dead[index] for index in order), dead=())
            move.tell("shuffled", events.Shuffled(len(order), again=True))
            draw(move)
        case _:
            least, most = state.options.timer_min_duration, state.options.timer_max_duration
            _run(move, least + (most - least) * order[0] // (STEPS - 1))


def get_ready(move: Move) -> None:
    """The next giver may start; the table does it for him after a while."""
    state = move.state
    move.set(phase=Phase.READY, deadline=move.at + state.options.start_duration, questions=state.questions + 1)
    move.tell("ready", events.Ready(state.team, giver(state), state.sudden))


def start(move: Move, by: By) -> None:
    """The timer starts, and not before that a card is drawn [3.1]."""
    move.set(caught=None, deadline=None)
    move.tell("started", events.Started(move.state.round + 1, giver(move.state), by))
    if is_random(move.state.options):
        move.set(phase=Phase.TIMER)
    else:
        _run(move, move.state.options.timer_duration)


def _run(move: Move, length: int) -> None:
    move.set(round=move.state.round + 1, deadline=move.at + length)
    draw(move)


def draw(move: Move) -> None:
    """The giver gets the next card; an empty deck is made anew of the dead pile, and without that it is over [4.5]."""
    state = move.state
    if not state.deck and state.dead:
        move.set(phase=Phase.RESHUFFLE)
    elif not state.deck:
        _end(move)
    else:
        move.set(
            phase=Phase.CLUE,
            deck=state.deck[1:],
            current=state.deck[0],
            drawn=state.drawn + 1,
            talk=(),
        )
        state = move.state
        hidden = events.Drawn(giver(state), state.drawn, len(state.deck))
        open_card = events.Drawn(giver(state), state.drawn, len(state.deck), word(state, _current(state)))
        seeing = {seat: open_card for seat in range(state.seats) if sees_card(state, seat)}
        move.tell("drawn", hidden, dict(seeing))


def score(move: Move, guesser: Seat | None) -> None:
    """The guessing team keeps the card [3.2], and the mode says who gives next [4.1]."""
    state = move.state
    team, card, options = state.team, _current(state), state.options
    move.pile(team, (*state.piles[team], card))
    move.set(current=None)
    totals = scores(move.state)
    move.tell("scored", events.Scored(team, giver(state), guesser, word(state, card), totals))
    if not state.sudden and totals[team] >= options.win_at:
        if not options.equal_turns:
            _end(move)
            return
        if options.turn_mode is not TurnMode.HOT_POTATO:
            end_turn(move)
            return
    match options.turn_mode:
        case TurnMode.HOT_POTATO:
            _pass_on(move)
            if not _is_settled(move):
                draw(move)
        case TurnMode.TEAM_RELAY:
            _rotate(move)
            draw(move)
        case _:
            draw(move)


def skip(move: Move) -> None:
    """The card and one that is won are dead; the timer keeps running [3.6]."""
    state = move.state
    card, pile = _current(state), state.piles[state.team]
    move.pile(state.team, pile[:-1])
    move.bury(pile[-1], card)
    move.set(current=None)
    totals = scores(move.state)
    move.tell("skipped", events.Skipped(giver(state), word(state, card), word(state, pile[-1]), totals))
    draw(move)


def foul(move: Move, seat: Seat, kind: Foul, clue: int = 0) -> None:
    """The turn is lost [3.5]."""
    card = move.state.current
    move.tell("fouled", events.Fouled(seat, kind, clue, None if card is None else word(move.state, card)))
    end_turn(move)


def buzz(move: Move) -> None:
    """The time is up [3.3]."""
    state = move.state
    team, gives = state.team, giver(state)
    move.tell("buzzed", events.Buzzed(state.round, team, gives, word(state, _current(state))))
    _forfeit(move, team, gives)
    end_turn(move)


def drop(move: Move, seat: Seat) -> None:
    """Somebody gives up, and the turn ends by that [8.1]."""
    card = _current(move.state)
    move.tell("dropped", events.Dropped(seat, word(move.state, card)))
    move.bury(card)
    move.set(current=None)


def end_turn(move: Move) -> None:
    """A card that is still open is dead. The other team is next, unless it is over."""
    state = move.state
    if state.current is not None:
        move.bury(state.current)
    move.set(current=None, deadline=None, talk=())
    if state.sudden:
        move.set(sudden_turns=state.sudden_turns - 1)
    _pass_on(move)
    if not _is_settled(move):
        get_ready(move)


def give_up(move: Move, team: Team) -> None:
    """A team that cannot play any more has lost."""
    move.set(winner=other(team))
    _finish(move)


def _current(state: State) -> Card:
    assert state.current is not None, "no card is open"
    return state.current


def _rotate(move: Move) -> None:
    """Who comes after the giver is next; the places of those who gave up are passed over by `giver`."""
    places = list(move.state.places)
    places[move.state.team] = giver(move.state) // TEAMS + 1
    move.set(places=(places[0], places[1]))


def _pass_on(move: Move) -> None:
    """The giver's turn is over, and it is the other team's."""
    _rotate(move)
    turns = list(move.state.turns)
    turns[move.state.team] += 1
    move.set(turns=(turns[0], turns[1]), team=other(move.state.team))


def _is_settled(move: Move) -> bool:
    """Whether something else follows than the next turn: the end, or a round of sudden death [4.3, 4.4]."""
    state = move.state
    if state.sudden:
        decides = state.sudden_turns == 0
    else:
        decides = max(scores(state)) >= state.options.win_at and state.turns[0] == state.turns[1]
    last = state.round >= state.options.max_rounds
    if decides and scores(state)[0] == scores(state)[1] and not last:
        turns = 1 if state.options.turn_mode is TurnMode.HOT_POTATO else 2
        move.set(sudden=state.sudden + 1, sudden_turns=turns)
        move.tell("sudden_death", events.SuddenDeath(state.sudden + 1))
        get_ready(move)
    elif decides or (last and state.deadline is None and not _owes_a_turn(state)):
        _end(move)
    else:
        return False
    return True


def _owes_a_turn(state: State) -> bool:
    """With `equal_turns` the other team has its timer too; a hot potato's is for both [4.3, 4.7]."""
    options = state.options
    equal = options.equal_turns and options.turn_mode is not TurnMode.HOT_POTATO
    return equal and state.turns[0] != state.turns[1]


def _end(move: Move) -> None:
    """More cards win [4.5, 4.7]."""
    first, second = scores(move.state)
    move.set(winner=None if first == second else int(second > first))
    _finish(move)


def _finish(move: Move) -> None:
    state = move.state
    move.set(phase=Phase.OVER, deadline=None, talk=(), open_clues=(), caught=None)
    move.tell("ended", events.Ended(state.winner, scores(state)))


def _forfeit(move: Move, team: Team, gives: Seat) -> None:
    """Somebody owes something, up to a number of times [4.6]."""
    state = move.state
    mode = state.options.forfeit_mode
    if mode is ForfeitMode.OFF:
        return
    meant = (gives,) if mode is ForfeitMode.GIVER else members(state, team)
    targets = tuple(seat for seat in meant if state.forfeits[seat] < FORFEITS)
    if targets:
        forfeits = tuple(count + (seat in targets) for seat, count in enumerate(state.forfeits))
        move.set(forfeits=forfeits, caught=team if mode is ForfeitMode.RULE else None)
        move.tell("forfeited", events.Forfeited(mode, targets, state.round))
