"""Which version this is."""

from importlib.metadata import version

VERSION = version("croupier")
"""Of the distribution."""

API = "v1"
"""Of the API: the last part of its package's name, and the first of its addresses."""
