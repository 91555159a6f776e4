"""The service: matches over gRPC, their state in Redis."""
