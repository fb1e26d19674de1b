# C functions declared in INI.
TESTS += %D%/ffi.bats
EXTRA_DIST += %D%/ffi.bats %D%/ffi-model.py
