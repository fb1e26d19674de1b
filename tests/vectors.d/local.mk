# tests/vectors.d
