# tests/runner
