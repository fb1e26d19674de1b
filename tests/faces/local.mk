# tests/faces
