"""Measurements: `python -m bench NAME [--json]`. Not a part of the package."""
