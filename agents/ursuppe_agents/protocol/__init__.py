"""The line protocol (docs/protocol.md): bots in any language, and agents of ours behind the same protocol."""
