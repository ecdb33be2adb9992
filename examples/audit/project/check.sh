# Every check of the project.
set -eu
sh tests/sum_test.sh
echo "all checks passed"
