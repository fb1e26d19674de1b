# tests/cli
TESTS += %D%/plugins-doc.sh
EXTRA_DIST += %D%/plugins-doc.sh
TESTS += %D%/config.bats %D%/main.bats %D%/plugins.bats
EXTRA_DIST += %D%/config.bats %D%/main.bats %D%/plugins.bats
