-- What came for runs from outside, in order. Runs by name: a letter may come before its run begins.
CREATE TABLE inbox (
    run TEXT NOT NULL,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    sender TEXT NOT NULL,
    signal TEXT NOT NULL,
    PRIMARY KEY (run, place),
    UNIQUE (run, id)
) STRICT, WITHOUT ROWID;
