"""A screen of lines and a keyboard, without anything beyond the standard library: docs/adr/0010 says why."""
