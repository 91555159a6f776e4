"""Generated from the proto files in this folder."""
