# tests/controller
