-- Runs by name, and who may write them. `no` is the short key other tables use.
CREATE TABLE runs (
    no INTEGER PRIMARY KEY,
    run TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL DEFAULT 0,
    claim_owner TEXT,
    claim_expires_at_ms INTEGER
) STRICT;

-- One row an append: its records in one blob, in the order of the file, so that a commit of many
-- runs touches few pages.
CREATE TABLE journal (
    id INTEGER PRIMARY KEY,
    run_no INTEGER NOT NULL,
    last_seq INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    records BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_by_run ON journal (run_no, last_seq);

-- What lists show of a run; folded from its journal, so it can be dropped and rebuilt.
CREATE TABLE run_rows (
    run TEXT PRIMARY KEY,
    workspace TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT,
    parent TEXT,
    status TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    head INTEGER NOT NULL,
    wake_at_ms INTEGER,
    summary TEXT NOT NULL
) STRICT;
CREATE INDEX run_rows_by_time ON run_rows (created_at_ms DESC, run);
CREATE INDEX run_rows_by_status ON run_rows (status, created_at_ms DESC, run);
CREATE INDEX run_rows_by_session ON run_rows (session) WHERE session IS NOT NULL;
CREATE INDEX run_rows_by_parent ON run_rows (parent) WHERE parent IS NOT NULL;
CREATE INDEX run_rows_by_wake ON run_rows (wake_at_ms) WHERE wake_at_ms IS NOT NULL;

-- Full outputs by hash, in chunks whose ids follow each other, so that a part can be read alone.
CREATE TABLE artifacts (
    address BLOB PRIMARY KEY,
    bytes INTEGER NOT NULL,
    first_chunk INTEGER NOT NULL
) STRICT;
CREATE TABLE artifact_chunks (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL
) STRICT;
