"""Freedom of Speech: what letters say. Guesses, clues with the word in any form, and the lists that are shipped."""

import pytest
from support.frequent_words import FREQUENT, TAKEN

from croupier_engine.freedom_of_speech.lexicon import foul_of, is_right
from croupier_engine.freedom_of_speech.model import Foul
from croupier_engine.freedom_of_speech.options import Language, Level, Word
from croupier_engine.freedom_of_speech.script import normal
from croupier_engine.freedom_of_speech.words import shipped

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
        ("elephant", "an ele phant"),
        ("elephant", "ele“phant"),
        ("elephant", 'ele"phant'),
        ("elephant", "el-e ph-ant"),
        ("elephant", "el ep ha nt"),
        ("elephant", "e1eph4nt"),
        ("key", "2key"),
        ("salt", "$alt"),
        ("salt", "(s*lt)"),
        ("salt", "s❤lt"),
        ("book", "a b00k!"),
        ("cafe", "a café"),
        ("café", "a cafe"),
        ("encyclopædia", "encyclopaedia"),
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
        ("слон", "сл он"),
        ("слон", "сл0н"),
        ("слон", "сло\u0301н"),
        ("крокодил", "крокодйл"),
        ("нос", "н ос"),
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
        ("кіт", "кїт"),
        ("ґанок", "ганок"),
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
        ("ніч", "ніччю"),
        ("лід", "на льоду"),
        ("колір", "кольором"),
        ("камінь", "каменем"),
        ("заєць", "зайця"),
        ("станція", "на станції"),
        ("картка", "без карток"),
        ("мудрість", "мудрий"),
        ("білий", "біла"),
        ("сором", "без сорому"),
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
        ("нос", "маленькое, но с усами"),
        ("воин", "идёт на войну"),
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
        ("біла ворона", "стоїть біля столу"),
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
        ("лось", "живе в лісі; ліс"),
        ("чай", "чайка"),
        ("гора", "гіркий"),
        ("веселка", "веселий дощ"),
        ("для початку", "для того, щоб відкрити"),
    ],
}


def cases(table: dict[Language, list[tuple[str, str]]]) -> list[tuple[Language, str, str]]:
    return [(language, word, clue) for language, rows in table.items() for word, clue in rows]


@pytest.mark.parametrize(("language", "word", "clue"), cases(FORMS))
def test_c6_2_a_clue_with_the_word_in_some_form(language: Language, word: str, clue: str) -> None:
    assert foul_of(clue, Word(word), language) is Foul.WORD
    if " " not in word:
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


def shipped_card(language: Language, word: str) -> Word:
    return next(card for card in shipped(language, Level.ALL) if card.word == word)


@pytest.mark.parametrize(
    ("language", "word", "clue"),
    [
        (UK, "велосипед", "великий, на двох колесах"),
        (UK, "білка", "білий, біла, білого кольору"),
        (UK, "сором", "сірий"),
        (UK, "міст", "місто, у місті, над містом"),
        (UK, "річка", "річ, рік"),
        (UK, "ніс", "на ньому носять окуляри"),
        (UK, "вовк", "сірий"),
        (UK, "ялинка", "новорічна"),
        (EN, "bargain", "a good buy"),
        (EN, "nightmare", "bad sleep"),
        (EN, "second hand", "used before"),
        (EN, "mother tongue", "the first one you speak"),
        (EN, "vertigo", "fear high up"),
        (EN, "narwhal", "it lives in the sea"),
        (RU, "гравитация", "сила"),
        (RU, "шарик", "воздушный"),
    ],
)
def test_c6_2_what_a_shipped_card_leaves_to_say(language: Language, word: str, clue: str) -> None:
    assert foul_of(clue, shipped_card(language, word), language) is None


@pytest.mark.parametrize("language", Language)
def test_c6_2_frequent_words_are_free_but_for_cards_that_have_them(language: Language) -> None:
    words, taken = FREQUENT[language].split(), dict[str, list[str]]()
    for card in shipped(language, Level.ALL):
        if foul_of(" ".join(words), card, language):  # most cards have none of them
            for word in words:
                if foul_of(word, card, language):
                    taken.setdefault(word, []).append(card.word)
    assert taken == TAKEN[language]


@pytest.mark.parametrize(
    ("language", "card", "clue", "foul"),
    [
        (EN, Word("narwhal", ("sea unicorn",)), "a sea unicorn", True),
        (EN, Word("narwhal", ("sea unicorn",)), "SEA-UNICORNS", True),
        (EN, Word("narwhal", ("sea unicorn",)), "seaunicorn", True),
        (EN, Word("narwhal", ("sea unicorn",)), "se aunicorn", True),
        (EN, Word("narwhal", ("sea unicorn",)), "a unicorn in the sea", False),
        (EN, Word("vertigo", ("fear of heights",)), "fears of height", True),
        (EN, Word("vertigo", ("fear of heights",)), "fear of the heights", False),
        (EN, Word("magnet", ("magnetic thing",)), "magnetic", True),  # it has the card's own word
        (EN, Word("magnet", ("pole", "long pole")), "poles", True),  # an alias of one word
        (RU, Word("снеговик", ("снежная баба",)), "слепи снежную бабу", True),
        (RU, Word("снеговик", ("снежная баба",)), "снежная, но не баба", False),
        (UK, Word("вовк", ("сірий вовчик",)), "сірого вовчика", True),
        (UK, Word("вовк", ("сірий вовчик",)), "сірий звір", False),
        (EN, Word("out of the blue"), "the sky, and out you go", False),  # stop words of the card's own
    ],
)
def test_c6_2_of_an_alias_of_several_words_the_whole_is_forbidden(
    language: Language, card: Word, clue: str, foul: bool
) -> None:
    assert foul_of(clue, card, language) is (Foul.WORD if foul else None)
