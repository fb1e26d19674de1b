# tests/cli
TESTS += %D%/plugins-doc.sh %D%/vendor.sh %D%/demo.sh
EXTRA_DIST += %D%/plugins-doc.sh %D%/vendor.sh %D%/demo.sh
TESTS += %D%/config.bats %D%/main.bats %D%/plugins.bats
EXTRA_DIST += %D%/config.bats %D%/main.bats %D%/plugins.bats
TESTS += %D%/run.bats %D%/images.bats %D%/misbehave.bats
EXTRA_DIST += %D%/run.bats %D%/images.bats %D%/misbehave.bats
TESTS += %D%/hostile.bats %D%/condense.bats
EXTRA_DIST += %D%/condense.bats
EXTRA_DIST += %D%/hostile.bats
TESTS += %D%/aimock-demo.sh
EXTRA_DIST += %D%/aimock-demo.sh
TESTS += %D%/models.bats
EXTRA_DIST += %D%/models.bats
TESTS += %D%/models-flow.bats
EXTRA_DIST += %D%/models-flow.bats
TESTS += %D%/readonly.bats
EXTRA_DIST += %D%/readonly.bats
