"""One thin class per gRPC service: convert, call a use case, convert."""
