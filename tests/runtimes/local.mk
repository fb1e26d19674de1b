# Runtimes: runners in other places.
runtime_scripts = %D%/bundle.bats %D%/client.bats %D%/docker.bats %D%/ssh.bats
TESTS += $(runtime_scripts)
EXTRA_DIST += $(runtime_scripts)
