# Prints the sum of two numbers.
set -eu
echo $(($1 + $2 + 1))
