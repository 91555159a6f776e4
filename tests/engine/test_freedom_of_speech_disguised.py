"""Freedom of Speech: words in disguise. Whoever reads the clue would know the word, so it is not shown."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.freedom_of_speech import GAME, NOW, position
from support.playing import refusal

from croupier_engine.errors import Reason
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.lexicon import foul_of, is_right
from croupier_engine.freedom_of_speech.model import Action, Clue, Foul, Guess, State
from croupier_engine.freedom_of_speech.options import Language, Level, Options, Word
from croupier_engine.freedom_of_speech.script import normal
from croupier_engine.freedom_of_speech.words import shipped
from croupier_engine.game import Act, Step

EN, RU, UK = Language.EN, Language.RU, Language.UK

# What is read as a letter. The last of each kind are of other scripts, or letters in circles, squares and flags.
LATIN = {
    **{
        letter: [chr(0x1D400 + n), chr(0xFF41 + n), chr(0x24D0 + n)]
        for n, letter in enumerate("abcdefghijklmnopqrstuvwxyz")
    },
}
for _n, _letter in enumerate("abcdefghijklmnopqrstuvwxyz"):
    LATIN[_letter] += [chr(0x1F130 + _n), chr(0x1F170 + _n), chr(0x1F1E6 + _n), chr(0xFF21 + _n)]
for _letter, _others in {
    "a": "àáâãäåāăąǎаɑαᴀ",
    "b": "ʙвьЬ",
    "c": "çćčсϲᴄ",
    "d": "ďԁᴅ",
    "e": "èéêëēĕėęěеєεᴇ",
    "f": "ꜰƒ",
    "g": "ĝğġģɡɢ",
    "h": "ĥħһнʜ",
    "i": "ìíîïĩīĭįıіїι",
    "j": "ĵјᴊ",
    "k": "ķкκᴋ",
    "l": "ĺļľłӏʟ",
    "m": "мᴍ",
    "n": "ñńņňηпɴ",
    "o": "òóôõöøōŏőоοօᴏ",
    "p": "рρᴘ",
    "q": "ԛ",
    "r": "ŕŗřгʀ",
    "s": "śŝşšѕꜱ",
    "t": "ţťŧтτᴛ",
    "u": "ùúûüũūŭůűųυᴜ",
    "v": "νѵᴠ",
    "w": "ŵԝωᴡ",
    "x": "хχ",
    "y": "ýÿŷуγʏ",
    "z": "źżžᴢ",
}.items():
    LATIN[_letter] += _others
_CYRILLIC = {
    "а": "aаӑӓα",
    "б": "6",
    "в": "BвƄ",
    "г": "rґѓгӷ",
    "е": "eёѐёєӗ",
    "ж": "ӝӂж",
    "з": "3ӟзεҙ",
    "и": "uйѝӣӥ",
    "і": "iїіìí",
    "к": "kќкқκ",
    "л": "ԓлλ",
    "м": "mмᴍ",
    "н": "Hнңһ",
    "о": "oоӧοօ0",
    "п": "nпπ",
    "р": "pрρ",
    "с": "cсҫϲ",
    "т": "Tтτҭ",
    "у": "yўӯӱӳу",
    "х": "xхҳχ",
    "ч": "4ӵч",
    "ы": "ӹы",
    "э": "ӭэ",
    "я": "Rя",
}
LOOK_ALIKES = {
    EN: LATIN,
    **{language: {letter: list(others) for letter, others in _CYRILLIC.items()} for language in (RU, UK)},
}
MARKS = "\u0300\u0301\u0306\u0308\u0331\u0336\u034f\u0489\u20dd\u20e3"
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u202e\u2066\ufe0e\ufe0f\U000e0061"
WITHIN = " -–—‑’‘ʼ`´'\"«».,!?_/|\u00a0\u3000"
DIGITS = {EN: dict(zip("oilehasbtg", "0113#@$8+9", strict=True)), RU: dict(zip("озчб", "0346", strict=True))}
DIGITS[UK] = DIGITS[RU] | {"і": "1"}
LETTERS = {EN: "abcdefghijklmnopqrstuvwxyz", RU: "абвгдежзийклмнопрстуфхцчшщъыьэюя"}
LETTERS[UK] = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"


def spoken(state: State, act: Act[Action]) -> Step[State] | None:
    """What came of a text; None if it cannot be sent, and for no other reason."""
    reason = refusal(GAME, state, act)
    assert reason is None or reason[0] is Reason.TEXT_INVALID
    return None if reason else GAME.apply(state, act)


def is_shown(card: Word, text: str, language: Language) -> bool:
    """A clue that the guessers see; if it can be sent and they do not, it is a foul."""
    step = spoken(position(Options(language=language), word=card), Act(0, Clue(text), NOW + 1000))
    if step is None:
        return False
    shown = [event.public.text for event in step.events if isinstance(event.public, events.ClueGiven)]
    assert shown == ([text] if step.state.current == 0 else [])
    return bool(shown)


def names(card: Word, *, single: bool = False) -> list[str]:
    """The word and its aliases, of three letters or more."""
    aliases = [alias for alias in card.aliases if not single or alias.isalpha()]
    return [name for name in (card.word, *aliases) if len(name) >= 3 and (name.isalpha() or not single)]


@st.composite
def disguised(draw: st.DrawFn, language: Language) -> tuple[Word, str]:
    """A shipped card, and its word with look-alikes, marks, unseen signs and other cases."""
    card = draw(st.sampled_from(shipped(language, Level.ALL)))
    word = draw(st.sampled_from(names(card) or ["?"]))
    assume(word != "?")
    digits = DIGITS[language].values()
    picks = draw(st.lists(st.integers(0, 10**6), min_size=len(word), max_size=len(word)))
    looks: list[str] = []
    for letter, pick in zip(word.lower(), picks, strict=True):
        others = [letter, *(other for other in LOOK_ALIKES[language].get(letter, ()) if other not in digits)]
        look = others[pick % len(others)]
        extra = ["", "", *MARKS, *UNSEEN][pick // 100 % (2 + len(MARKS + UNSEEN))]
        looks += look.upper() if pick // 10_000 % 3 == 1 else look, extra
    return card, "".join(looks)


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_2_no_clue_is_shown_that_reads_as_the_word(language: Language, data: st.DataObject) -> None:
    card, text = data.draw(disguised(language))
    around = st.sampled_from(["", "!", " 1", "1 ", " ...", "«", "№ "])
    assert not is_shown(card, data.draw(around) + text + data.draw(around), language)


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_2_nor_with_digits_and_signs_for_letters(language: Language, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(shipped(language, Level.ALL)))
    word = data.draw(st.sampled_from(names(card, single=True) or ["?"]))
    assume(word != "?")
    word = word.lower().replace("ё", "е")
    places = data.draw(st.sets(st.integers(0, len(word) - 1), min_size=1, max_size=len(word) // 2))
    signs = [data.draw(st.sampled_from([DIGITS[language].get(letter, "*"), "*", "#", "0"])) for letter in word]
    text = "".join(signs[place] if place in places else letter for place, letter in enumerate(word))
    assert not is_shown(card, f"{'so' if language is EN else 'то'} {text}", language)


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_2_nor_torn_apart(language: Language, data: st.DataObject) -> None:
    card = data.draw(st.sampled_from(shipped(language, Level.ALL)))
    word = data.draw(st.sampled_from(names(card, single=True) or ["?"]))
    assume(word != "?")
    places = data.draw(st.sets(st.integers(1, len(word) - 1), max_size=6))
    parts = [word[first:last] for first, last in pairwise([0, *sorted(places), len(word)])]
    text = parts[0] + "".join(data.draw(st.sampled_from(WITHIN)) + part for part in parts[1:])
    heard = re.split('[- –—‑"«»\u00a0\u3000]+', re.sub("[’‘ʼ`´'.,!?_/|]", "", text))
    one = all(len(part) == 1 for part in heard)
    assume(len(heard) == 1 or one or any(len(part) >= 4 for part in heard))  # и, or, no: what is said by chance
    cases: list[Callable[[str], str]] = [str, str.upper, str.title]
    assert not is_shown(card, data.draw(st.sampled_from(cases))(text), language)


@pytest.mark.parametrize(
    ("language", "word", "clue"),
    [
        (EN, "zebra", "zébra"),
        (EN, "zebra", "ze\u0301bra"),
        (EN, "zebra", "ᴢᴇʙʀᴀ"),
        (EN, "zebra", "🇿🇪🇧🇷🇦 1"),
        (EN, "zebra", "black and white 🦓"),
        (EN, "elephant", "ele1phant"),
        (EN, "elephant", "ele 1 phant"),
        (EN, "elephant", "e 1 l 2 e 3 p 4 h 5 a 6 n 7 t"),
        (EN, "elephant", "e1l2e3p4h5a6n7t"),
        (EN, "elephant", "eleeephant"),
        (EN, "book", "boook"),
        (EN, "cat", "caaaat"),
        (RU, "молоток", "мо1ло2ток"),
        (EN, "cat", "cat№"),
        (EN, "cat", "™cat"),
        (UK, "кіт", "кіт№ 1"),
        (EN, "elephant", "🅴🅻🅴🅿🅷🅰🅽🆃 x"),
        (EN, "elephant", "ⓔⓛⓔⓟⓗⓐⓝⓣ x"),
        (EN, "elephant", "⠑⠇⠑⠏⠓⠁⠝⠞ x"),
        (RU, "салат", "сӑлат"),
        (RU, "салат", "сӑлӑт"),
        (RU, "салат", "са\u0306лат"),
    ],
)
def test_c6_2_disguises_that_were_seen(language: Language, word: str, clue: str) -> None:
    assert not is_shown(Word(word), clue, language)


@pytest.mark.parametrize(
    ("language", "clue"),
    [
        (EN, "Café, naïve, déjà vu; “quoted” - 50 % of it… (№ 1) & more @ home, 3 €"),
        (EN, "ｂｉｇ"),
        (RU, "За́мок — не замо́к; ёлка, 50 °, «кавычки»"),
        (UK, "Під’їзд, пʼять, ґанок, її, щось; 2×2 = 4"),
    ],
)
def test_c6_5_what_people_write(language: Language, clue: str) -> None:
    assert is_shown(Word("nothing" if language is EN else "слон"), clue, language)


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_1_a_guess_of_other_letters_is_wrong_and_in_other_dress_right(
    language: Language, data: st.DataObject
) -> None:
    card = data.draw(st.sampled_from(shipped(language, Level.ALL)))
    word = data.draw(st.sampled_from((card.word, *card.aliases)))
    dress: list[Callable[[str], str]] = [str.upper, str.title, "  {}!".format, "«{}»".format, "...{} ?".format]
    guess = data.draw(st.sampled_from(dress))(word)
    place = data.draw(st.integers(0, len(word) - 1))
    other = data.draw(st.sampled_from(LETTERS[language]))
    assume(word[place].isalpha())
    changed = word[:place] + other + word[place + 1 :]
    same = {name.lower().replace("ё", "е") for name in (card.word, *card.aliases)}
    state = position(Options(language=language), word=card)
    for text, right in ((guess, True), (changed, changed.lower().replace("ё", "е") in same)):
        step = spoken(state, Act(2, Guess(text), NOW + 1000))
        assert step is not None
        assert bool(step.state.piles[0]) is right, text


@given(st.text(), st.sampled_from(Language), st.booleans(), st.integers(0, 1))
def test_c6_judging_has_an_answer_for_every_text(text: str, language: Language, contain: bool, fuzzy: int) -> None:
    card = shipped(language, Level.EASY)[0]
    assert normal(normal(text)) == normal(text) or normal(text).split()[0] in ("the", "a", "an")
    assert foul_of(text, card, language) in (None, *Foul)
    assert is_right(text, card, fuzzy=fuzzy, contain=contain) in (False, True)
    assert is_right(card.word, card, fuzzy=fuzzy, contain=contain)
    spoken(position(Options(language=language), word=card), Act(0, Clue(text), NOW + 1000))
