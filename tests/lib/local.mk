# tests/lib
