"""The API of Croupier: messages, services, and the catalogue of errors."""
