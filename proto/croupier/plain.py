"""What a text that a caller sends may hold, unless its field says otherwise: one line, and no orders to a terminal.

Imports nothing of ours, so that the service, the gateway and any client can use it.
"""

# Control characters, ends of lines and marks of direction, as in a set of Python's patterns and JSON Schema's.
CONTROLS = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"
PLAIN = f"[^{CONTROLS}]*"
