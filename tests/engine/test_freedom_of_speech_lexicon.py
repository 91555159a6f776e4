"""Freedom of Speech: what letters say. Guesses, clues with the word in any form, and the lists that are shipped."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.freedom_of_speech import GAME, NOW, position
from support.playing import refusal

from croupier_engine.errors import Reason
from croupier_engine.freedom_of_speech import events
from croupier_engine.freedom_of_speech.lexicon import foul_of, is_right, normal
from croupier_engine.freedom_of_speech.model import Action, Clue, Foul, Guess, State
from croupier_engine.freedom_of_speech.options import Language, Level, Options, Word
from croupier_engine.freedom_of_speech.words import shipped
from croupier_engine.game import Act, Step

EN, RU, UK = Language.EN, Language.RU, Language.UK


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("  The   Elephant!! ", "elephant"),
        ("an ox", "ox"),
        ("the", "the"),
        ("ЁЖ", "еж"),
        ("мой", "мой"),
        ("їжак", "їжак"),
        ("ґанок", "ґанок"),
        ("п'ять", "пять"),
        ("п’ять", "пять"),
        ("rock 'n' roll", "rock n roll"),
        ("“rock”—roll", "rock roll"),
        ("ice-cream", "ice cream"),
        ("ｅｌｅｐｈａｎｔ", "elephant"),
        ("ﬁre", "fire"),
        ("Straße", "strasse"),
        ("cafe\u0301", "café"),
        ("r\u0336e\u0336d\u0336", "red"),
        ("U.S.A.", "usa"),
        ("x\u200dy", "xy"),
        ("2²", "22"),
        ("?!", ""),
        ("", ""),
    ],
)
def test_c6_1_what_the_judge_compares(text: str, same: str) -> None:
    assert normal(text) == same
    assert normal(same) == same


@pytest.mark.parametrize(
    ("guess", "fuzzy", "contain", "right"),
    [
        ("hedgehog", 0, False, True),
        ("urchin", 0, False, True),
        ("hedge hog", 0, False, False),
        ("hedgehogs", 0, False, False),
        ("hedgehogs", 1, False, True),
        ("edgehog", 1, False, True),
        ("hedgehgo", 1, False, False),
        ("hedgehogss", 1, False, False),
        ("imp", 0, False, True),
        ("ump", 1, False, False),  # too short for a wrong letter
        ("it is a hedgehog, I think", 0, False, False),
        ("it is a hedgehog, I think", 0, True, True),
        ("hedgehogs live there", 0, True, False),
    ],
)
def test_c6_1_guesses(guess: str, fuzzy: int, contain: bool, right: bool) -> None:
    assert is_right(guess, Word("hedgehog", ("urchin", "imp")), fuzzy=fuzzy, contain=contain) is right


def test_c6_1_an_answer_of_two_words() -> None:
    card = Word("чёрная дыра")
    assert is_right("Черная  ДЫРА!", card, fuzzy=0, contain=False)
    assert not is_right("дыра чёрная", card, fuzzy=0, contain=True)
    assert is_right("это чёрная дыра", card, fuzzy=0, contain=True)


FORMS = {
    EN: [
        ("elephant", "an ELEPHANT"),
        ("elephant", "elephants"),
        ("elephant", "ele-phant"),
        ("elephant", "e l e p h a n t"),
        ("elephant", "e-l-e-p-h-a-n-t"),
        ("elephant", "elephantine"),
        ("elephant", "babyelephant"),
        ("elephant", "elephant's"),
        ("run", "running"),
        ("run", "he runs"),
        ("baker", "bakers"),
        ("swim", "swimming"),
        ("jealousy", "jealousies"),
        ("butterfly", "butterflies"),
        ("nation", "national"),
        ("happy", "happiness"),
        ("loneliness", "LONELINESS"),
        ("box", "boxes"),
        ("hope", "hoping"),
        ("dance", "dancing"),
        ("black hole", "a hole"),
        ("ox", "like an ox."),
    ],
    RU: [
        ("слон", "это слон"),
        ("слон", "слоны"),
        ("слон", "слонами"),
        ("слон", "СЛОНУ"),
        ("слон", "с-л-о-н"),
        ("слон", "с л о н"),
        ("кошка", "кошки"),
        ("кошка", "кошкой"),
        ("кошка", "кошкам"),
        ("корова", "коровы"),
        ("корова", "коровами"),
        ("корова", "коровий"),
        ("лошадь", "лошади"),
        ("лошадь", "лошадью"),
        ("ёлка", "елки"),
        ("ёлка", "ёлку"),
        ("красный", "красного"),
        ("красный", "красная"),
        ("терпение", "терпения"),
        ("дружба", "дружбу"),
        ("бегать", "бегали"),
        ("ёж", "колючий еж"),
    ],
    UK: [
        ("слон", "це слон"),
        ("слон", "слони"),
        ("слон", "слонами"),
        ("слон", "СЛОНОВІ"),
        ("слон", "с-л-о-н"),
        ("корова", "корови"),
        ("корова", "коровою"),
        ("корова", "коровами"),
        ("кіт", "кота"),
        ("кіт", "котом"),
        ("кіт", "котами"),
        ("карта", "карти"),
        ("карта", "на карті"),
        ("школа", "до школи"),
        ("школа", "у школу"),
        ("стіна", "стінами"),
        ("стіна", "стін"),
        ("замок", "замки"),
        ("замок", "у замку"),
        ("смерть", "смертю"),
        ("піч", "печі"),
        ("кінь", "коні"),
        ("риба", "рибка"),
        ("хлопець", "хлопцями"),
        ("радість", "радості"),
        ("ніч", "ночі"),
        ("стіл", "столи"),
        ("м'яч", "м’ячем"),
        ("м'яч", "мʼячі"),
        ("їжак", "їжаки"),
        ("їжак", "їжакові"),
        ("терпіння", "терпінням"),
        ("червоний", "червоного"),
        ("червоний", "червоні"),
        ("дружба", "дружбою"),
        ("бігати", "бігали"),
    ],
}
INNOCENT = {
    EN: [
        ("elephant", "big and grey, with a long nose"),
        ("cat", "it says meow, and catches mice"),
        ("cat", "a vacation, education, a category"),
        ("run", "faster than walking; prune, trunk"),
        ("ant", "it is small and has six legs; a giant, an elephant"),
        ("bee", "it makes honey; beer, beef, been"),
        ("pig", "pink, lives in a sty; pigment"),
        ("art", "paintings; party, start, heart"),
        ("rain", "water from the sky; train, brain, grain"),
        ("car", "it has four wheels; carpet, scarf"),
        ("sun", "the star that we see; Sunday"),
        ("king", "a monarch with a crown; making, looking"),
        ("ice", "frozen water; nice, rice, mice"),
        ("tea", "you drink it at five; team, steam"),
        ("hope", "you wish it; phone, shop"),
        ("black hole", "light does not get out of it"),
        ("the sea", "the salt water by the beach"),
    ],
    RU: [
        ("слон", "большой и серый, с хоботом"),
        ("слон", "наклон, салон"),
        ("кот", "мяукает; который, скоты"),
        ("рак", "пятится; рана, ракета, брак"),
        ("лев", "царь зверей; слева, львы не злые"),
        ("дом", "там живут; дорога, дым"),
        ("лес", "там деревья; лестница, колесо"),
        ("мяч", "им играют; мягкий, мята"),
        ("сон", "снится ночью; соль, сонет"),
        ("чай", "пьют горячим; чайка, случай"),
        ("мир", "не война; мера, мороз"),
        ("корова", "даёт молоко и мычит"),
        ("лошадь", "на ней скачут верхом"),
        ("ёлка", "её наряжают под Новый год"),
        ("терпение", "то, что нужно, когда долго ждёшь"),
        ("для начала", "для того, чтобы открыть"),
    ],
    UK: [
        ("слон", "великий і сірий, з хоботом"),
        ("кіт", "нявкає; квіти, якийсь"),
        ("кіт", "це кит"),
        ("рак", "задкує; рана, ракета"),
        ("лев", "цар звірів; зліва"),
        ("дім", "там живуть; дорога"),
        ("ліс", "там дерева; лисиця, колесо"),
        ("м'яч", "ним грають; м'який, м'ята"),
        ("сон", "сниться вночі; сіль, сонет"),
        ("чай", "п'ють гарячим; чаша, зачаїлися"),
        ("мир", "не війна; міра"),
        ("корова", "дає молоко і мукає"),
        ("їжак", "колючий, живе в лісі"),
        ("ніч", "коли темно і всі сплять"),
        ("терпіння", "те, що треба, коли довго чекаєш"),
        ("стіл", "за ним їдять"),
        ("для початку", "для того, щоб відкрити"),
    ],
}


def cases(table: dict[Language, list[tuple[str, str]]]) -> list[tuple[Language, str, str]]:
    return [(language, word, clue) for language, rows in table.items() for word, clue in rows]


@pytest.mark.parametrize(("language", "word", "clue"), cases(FORMS))
def test_c6_2_a_clue_with_the_word_in_some_form(language: Language, word: str, clue: str) -> None:
    assert foul_of(clue, Word(word), language) is Foul.WORD
    assert foul_of(clue, Word("nothing" if language is EN else "ничто", (word,)), language) is Foul.WORD


@pytest.mark.parametrize(("language", "word", "clue"), cases(INNOCENT))
def test_c6_2_a_clue_without_it(language: Language, word: str, clue: str) -> None:
    assert foul_of(clue, Word(word), language) is None


@pytest.mark.parametrize(
    ("language", "clue"),
    [
        (EN, "it rhymes with infant"),
        (EN, "they RHYME  WITH infant"),
        (EN, "sounds-like infant"),
        (EN, "both sound like “infant”"),
        (RU, "рифмуется с этим"),
        (RU, "звучит как звон"),
        (RU, "созвучно: звон"),
        (UK, "римується з цим"),
        (UK, "звучить як дзвін"),
        (UK, "співзвучно з дзвоном"),
    ],
)
def test_c6_2_what_it_sounds_like(language: Language, clue: str) -> None:
    assert foul_of(clue, Word("elephant" if language is EN else "слон"), language) is Foul.SOUND


# Texts of all sorts.

LETTERS = {
    EN: "abcdefghijklmnopqrstuvwxyz",
    RU: "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    UK: "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
}
LOOK_ALIKES = "аеорсухіԁｅＥ𝐞ℯⅇéëēėęЕΕоο0օ"
MARKS = "\u0301\u0306\u0308\u0336\u034f\u0489\u20dd"
UNSEEN = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u180e\u202e\u2066\ufe0f\U000e0061"
SIGNS = " -–—'’‘ʼ`´\"«».,!?\u00a0\u3000\t\n"


@st.composite
def torn(draw: st.DrawFn, language: Language) -> tuple[Word, str]:
    """A shipped card, and its word dressed up: marks, unseen signs, other letters between and around its own."""
    card = draw(st.sampled_from(shipped(language, Level.ALL)))
    word = draw(st.sampled_from((card.word, *card.aliases)))
    between = st.text(st.sampled_from([*MARKS, *UNSEEN, *SIGNS, *LOOK_ALIKES]), max_size=1)
    cases_: list[Callable[[str], str]] = [str, str.upper, str.title]
    said = "".join(draw(between) + draw(st.sampled_from(cases_))(letter) for letter in word)
    around = st.text(st.sampled_from([*LETTERS[language], *SIGNS]), max_size=12)
    return card, draw(around) + said + draw(around)


def spoken(state: State, act: Act[Action]) -> Step[State] | None:
    """What came of a text; None if it cannot be sent, and for no other reason."""
    reason = refusal(GAME, state, act)
    assert reason is None or reason[0] is Reason.TEXT_INVALID
    return None if reason else GAME.apply(state, act)


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_2_no_clue_is_taken_that_has_the_word(language: Language, data: st.DataObject) -> None:
    anything = st.tuples(st.sampled_from(shipped(language, Level.ALL)), st.text(max_size=60))
    card, text = data.draw(torn(language) | anything)
    state = position(Options(language=language), word=card)
    step = spoken(state, Act(0, Clue(text), NOW + 1000))
    if step is None:
        return
    shown = any(isinstance(event.public, events.ClueGiven) for event in step.events)
    assert shown is (step.state.current == 0)
    said = f" {normal(text)} "
    if any(f" {normal(answer)} " in said for answer in (card.word, *card.aliases)):
        assert not shown
    if shown:
        assert step.state.talk[-1].text == text


@pytest.mark.parametrize("language", Language)
@given(data=st.data())
def test_c6_1_no_guess_is_right_that_is_another_word(language: Language, data: st.DataObject) -> None:
    card, text = data.draw(torn(language))
    state = position(Options(language=language), word=card)
    step = spoken(state, Act(2, Guess(text), NOW + 1000))
    if step is None:
        return
    right = normal(text) in {normal(answer) for answer in (card.word, *card.aliases)}
    assert bool(step.state.piles[0]) is right


@given(st.text(), st.sampled_from(Language), st.booleans(), st.integers(0, 1))
def test_c6_judging_has_an_answer_for_every_text(text: str, language: Language, contain: bool, fuzzy: int) -> None:
    card = shipped(language, Level.EASY)[0]
    assert normal(normal(text)) == normal(text) or normal(text).split()[0] in ("the", "a", "an")
    assert foul_of(text, card, language) in (None, *Foul)
    assert is_right(text, card, fuzzy=fuzzy, contain=contain) in (False, True)
    assert is_right(card.word, card, fuzzy=fuzzy, contain=contain)
