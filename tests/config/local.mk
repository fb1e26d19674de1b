# tests/config
