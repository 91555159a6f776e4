"""The gateway: the API as REST and server-sent events, made from the descriptors; it talks gRPC only."""
