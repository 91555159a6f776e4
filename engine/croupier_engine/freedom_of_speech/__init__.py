"""Freedom of Speech: two teams guess words that one of them describes. Rules: docs/rules/freedom_of_speech.md."""
