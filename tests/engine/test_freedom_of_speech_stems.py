"""Freedom of Speech: stems, which stored matches are judged by again. Others are a new version of the rules."""

import hashlib
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from croupier_engine.freedom_of_speech.options import Language, Level
from croupier_engine.freedom_of_speech.script import bare
from croupier_engine.freedom_of_speech.stems import roots, stems
from croupier_engine.freedom_of_speech.words import shipped

EN, RU, UK = Language.EN, Language.RU, Language.UK
ROOT = Path(__file__).parents[2]

PINNED = {
    EN: "d5dec601165d3b310886b52dfac787935a2ddb380a8766247a1aba0b487bb028",
    RU: "eb7ee0d3299daeb2354af942637584175e0d8bfdcb389b89844fd80f5820dc86",
    UK: "a200c1e4a74787be64896e2b31fa7c004dc70f83e278bc34d033e2a21fc135bc",
}


@pytest.mark.parametrize("language", Language)
def test_c6_2_stems_of_all_that_is_shipped(language: Language) -> None:
    texts = [name for card in shipped(language, Level.ALL) for name in (card.word, *card.aliases)]
    found = [
        f"{word} {sorted(roots(word, language))} {sorted(stems(word, language))}"
        for text in texts
        for word in bare(text)
    ]
    assert hashlib.sha256("\n".join(found).encode()).hexdigest() == PINNED[language]


@pytest.mark.parametrize(
    ("language", "token", "found"),
    [
        (EN, "running", {("run", "")}),
        (EN, "jealousies", {("jealousi", "")}),
        (EN, "happiness", {("happi", "")}),
        (RU, "кошками", {("кошк", "")}),
        (RU, "красного", {("красн", "")}),
        (RU, "надеждами", {("надежд", "")}),
        (UK, "коровами", {("коров", "noun")}),
        (UK, "білого", {("білог", "noun"), ("біл", "adjective")}),
        (UK, "замок", {("замок", "noun"), ("замк", "noun")}),
        (UK, "рік", set()),
    ],
)
def test_c6_2_stems(language: Language, token: str, found: set[tuple[str, str]]) -> None:
    assert {stem for stem in stems(token, language) if stem[1] != "verb"} - found == set()
    assert found <= stems(token, language)


def test_stems_are_those_of_one_version_and_of_its_own_code() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    needed = f"snowballstemmer=={version('snowballstemmer')}"
    assert [extra for extra, wanted in extras.items() if needed in wanted] == ["arena", "server"]
    # With PyStemmer there, whatever it says.
    code = (
        "import sys, types; other = types.ModuleType('Stemmer'); other.algorithms = other.Stemmer = None;"
        "sys.modules['Stemmer'] = other;"
        "from croupier_engine.freedom_of_speech import options, stems;"
        "print(stems.stems('running', options.Language.EN))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "frozenset({('run', '')})\n"
