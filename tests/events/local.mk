# tests/events
