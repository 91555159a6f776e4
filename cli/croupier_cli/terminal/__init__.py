"""A screen of lines and a keyboard, by the standard library alone: docs/adr/0010-terminal-without-a-toolkit.md."""
