"""The API as an OpenAPI 3.1 document, made from the proto files' descriptors and comments."""

from croupier_gateway.openapi.document import document

__all__ = ["document"]
