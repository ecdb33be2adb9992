# Compares a sum with what it must be.
got=$(sh src/sum.sh 2 3)
if [ "$got" != 5 ]; then
    echo "sum_test: 2 + 3 must be 5, got $got"
    exit 1
fi
echo "sum_test: ok"
