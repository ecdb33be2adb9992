-- Where the appends of each run lie, in the order of the run. Filled in for many appends at a time: one
-- alone would write a page of its own in every step, and a commit of many runs a page for each of them.
CREATE TABLE places (
    run_no INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (run_no, last_seq)
) STRICT, WITHOUT ROWID;
INSERT INTO places SELECT run_no, last_seq, id FROM journal ORDER BY run_no, last_seq;
DROP INDEX journal_by_run;

-- One row: up to this id every append of the journal has its place.
CREATE TABLE placed (id INTEGER NOT NULL) STRICT;
INSERT INTO placed SELECT coalesce(max(id), 0) FROM journal;
