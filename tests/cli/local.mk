# tests/cli
TESTS += %D%/plugins-doc.sh
EXTRA_DIST += %D%/plugins-doc.sh
