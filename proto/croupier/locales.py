"""The languages that texts are kept in: which one a caller wants, and which form of a word follows a number.

Imports nothing of ours, so that the service, the gateway and any client can use it.
"""

from collections.abc import Iterator, Mapping

LOCALES = ("en", "ru", "uk")

# CLDR's cardinal plural rules for whole numbers, as data: the last two digits, else the last one, pick a form.
# English distinguishes only the number 1 itself.
_FORMS: Mapping[str, tuple[str, ...]] = {
    "en": ("one", "many"),
    "ru": ("one", "few", "many"),
    "uk": ("one", "few", "many"),
}


def language_of(tag: str) -> str:
    """The primary language of a tag such as `uk-UA` or `uk_UA`, in lower case."""
    return tag.strip().replace("_", "-").split("-")[0].lower()


def best_locale(header: str, default: str = "en") -> str:
    """Which of the kept languages an `Accept-Language` header likes best; `default` if it names none of them.

    `uk;q=0.8, ru` is `ru`; of equal weights the first counts; a weight of 0 excludes. `*` stands for the default.
    What is malformed is passed over, as if it had not been sent.
    """
    best, weight = default, 0.0
    weighed = list(_weighed(header))
    excluded = {language for language, quality in weighed if quality == 0}
    for language, quality in weighed:
        wanted = language_of(default) if language == "*" else language
        if quality > weight and wanted not in excluded and (wanted in LOCALES or language == "*"):
            best, weight = default if language == "*" else wanted, quality
    return best


def _weighed(header: str) -> Iterator[tuple[str, float]]:
    for part in header.split(","):
        tag, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip().lower() == "q":
                quality = _quality(value.strip())
        if tag and quality >= 0:
            yield language_of(tag), quality


def _quality(text: str) -> float:
    """0 to 1; -1 for what is no weight."""
    try:
        quality = float(text)
    except ValueError:
        return -1.0
    return quality if 0 <= quality <= 1 else -1.0


def plural_form(locale: str, number: str) -> str:
    """Which form of a word follows a number, given as text: `one`, `few` or `many`.

    `few` is also what follows a fraction in Russian and Ukrainian ("1.5 секунды"); what is no number takes `many`.
    """
    slavic = "few" in _FORMS[locale]
    if not (number.isascii() and number.isdigit()):
        is_fraction = number.replace(".", "", 1).isdigit() and number.isascii()
        return "few" if slavic and is_fraction else "many"
    if not slavic:
        return "one" if int(number) == 1 else "many"
    last, last_two = int(number) % 10, int(number) % 100
    if last == 1 and last_two != 11:
        return "one"
    return "few" if last in (2, 3, 4) and last_two not in (12, 13, 14) else "many"


def with_noun(locale: str, number: str, forms: str) -> str:
    """A number and its noun; `forms` are the noun's, in CLDR's order: `second|seconds`, `секунду|секунды|секунд`."""
    known = _FORMS[locale]
    words = dict(zip(known, forms.split("|"), strict=True))
    return f"{number} {words[plural_form(locale, number)]}"
