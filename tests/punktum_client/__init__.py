"""The client and the wrapper, against a real server on loopback and with real processes."""
