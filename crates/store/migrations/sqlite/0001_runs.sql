-- Version 1 of the schema; docs/schema.md explains every column. Times are milliseconds since 1970 UTC.

-- Runs, as they are scheduled and listed.
CREATE TABLE runs (
    run TEXT NOT NULL PRIMARY KEY,
    root TEXT NOT NULL,
    parent TEXT,
    workspace TEXT NOT NULL,
    agent TEXT NOT NULL,
    agent_digest TEXT NOT NULL,
    session TEXT,
    session_from INTEGER,
    awaits_session INTEGER NOT NULL DEFAULT 0,
    queue TEXT NOT NULL DEFAULT '',
    priority INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER,
    status TEXT NOT NULL,
    head INTEGER NOT NULL,
    head_hash BLOB NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    ready INTEGER NOT NULL,
    due INTEGER,
    claims INTEGER NOT NULL DEFAULT 0,
    inbox INTEGER NOT NULL DEFAULT 0,
    taken INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    ended INTEGER,
    summary TEXT NOT NULL
) STRICT;
CREATE INDEX runs_ready ON runs (workspace, priority, due, run) WHERE ready;
CREATE INDEX runs_timer ON runs (due) WHERE owner IS NULL AND NOT ready AND due IS NOT NULL;
CREATE INDEX runs_owner ON runs (owner) WHERE owner IS NOT NULL;
CREATE INDEX runs_mail ON runs (owner) WHERE owner IS NOT NULL AND inbox > taken;
CREATE INDEX runs_list ON runs (workspace, created DESC, run DESC);
CREATE INDEX runs_recent ON runs (created DESC, run DESC);
CREATE INDEX runs_open ON runs (workspace, created DESC, run DESC) WHERE ended IS NULL;
CREATE INDEX runs_open_recent ON runs (created DESC, run DESC) WHERE ended IS NULL;
CREATE INDEX runs_parent ON runs (parent, created DESC, run DESC) WHERE parent IS NOT NULL;
CREATE INDEX runs_root ON runs (root, created DESC, run DESC);
CREATE INDEX runs_session ON runs (session, created DESC, run DESC) WHERE session IS NOT NULL;

-- What happened, append-only, one hash chain a run. Not WITHOUT ROWID: long rows would spill.
CREATE TABLE journal (
    run TEXT NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    actor TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    facts TEXT NOT NULL,
    words TEXT,
    facts_hash BLOB NOT NULL,
    words_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    erased TEXT,
    PRIMARY KEY (run, seq)
) STRICT;

-- The journal with readable times, for people.
CREATE VIEW events AS
    SELECT run, seq, strftime('%Y-%m-%d %H:%M:%f', at / 1000.0, 'unixepoch') AS time, epoch, actor, kind, facts,
        CASE WHEN erased IS NULL THEN words ELSE '[erased]' END AS words
    FROM journal;

CREATE TABLE workers (
    worker TEXT NOT NULL PRIMARY KEY,
    started INTEGER NOT NULL,
    beat INTEGER NOT NULL,
    until INTEGER NOT NULL,
    dead INTEGER NOT NULL DEFAULT 0,
    about TEXT NOT NULL
) STRICT;

CREATE TABLE waits (
    wait TEXT NOT NULL PRIMARY KEY,
    run TEXT NOT NULL,
    root TEXT NOT NULL,
    path TEXT NOT NULL,
    workspace TEXT NOT NULL,
    kind TEXT NOT NULL,
    actions TEXT NOT NULL,
    opened INTEGER NOT NULL,
    due INTEGER,
    on_due TEXT NOT NULL,
    ask TEXT NOT NULL,
    schema TEXT,
    binding TEXT NOT NULL,
    may_answer TEXT NOT NULL,
    supersedable INTEGER NOT NULL,
    answered INTEGER,
    answered_by TEXT,
    answer TEXT,
    settled INTEGER,
    settled_by TEXT,
    how TEXT
) STRICT;
CREATE INDEX waits_open ON waits (workspace, opened, wait) WHERE settled IS NULL;
CREATE INDEX waits_open_recent ON waits (opened, wait) WHERE settled IS NULL;
CREATE INDEX waits_recent ON waits (opened, wait);
CREATE INDEX waits_due ON waits (due) WHERE answered IS NULL AND settled IS NULL AND due IS NOT NULL;
CREATE INDEX waits_run ON waits (run, opened, wait);
CREATE INDEX waits_root ON waits (root, opened, wait);

CREATE TABLE signals (
    run TEXT NOT NULL,
    no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    sender TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT,
    key TEXT,
    PRIMARY KEY (run, no)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX signals_key ON signals (run, key) WHERE key IS NOT NULL;

CREATE TABLE requests (
    workspace TEXT NOT NULL,
    key TEXT NOT NULL,
    run TEXT NOT NULL,
    digest TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX requests_run ON requests (run);

CREATE TABLE sessions (
    session TEXT NOT NULL PRIMARY KEY,
    workspace TEXT NOT NULL,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    context TEXT NOT NULL,
    title TEXT,
    metadata TEXT NOT NULL,
    provider_response_id TEXT,
    active_run TEXT,
    version INTEGER NOT NULL,
    head INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    forked_from TEXT,
    forked_upto INTEGER
) STRICT;
CREATE INDEX sessions_list ON sessions (workspace, created DESC, session DESC);
CREATE INDEX sessions_owner ON sessions (workspace, owner, created DESC, session DESC);
CREATE INDEX sessions_recent ON sessions (created DESC, session DESC);

CREATE TABLE session_entries (
    session TEXT NOT NULL,
    no INTEGER NOT NULL,
    kind TEXT NOT NULL,
    run TEXT,
    seq INTEGER,
    body TEXT,
    PRIMARY KEY (session, no),
    CHECK ((run IS NULL) = (seq IS NULL) AND (run IS NULL) != (body IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX session_entries_run ON session_entries (run) WHERE run IS NOT NULL;

-- Starts that wait until their session is free.
CREATE TABLE session_starts (
    session TEXT NOT NULL,
    no INTEGER NOT NULL,
    run TEXT NOT NULL,
    entries TEXT NOT NULL,
    PRIMARY KEY (session, no)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
    digest TEXT NOT NULL PRIMARY KEY,
    size INTEGER NOT NULL,
    media TEXT NOT NULL,
    encoding TEXT NOT NULL,
    bytes BLOB,
    upload INTEGER,
    parts INTEGER NOT NULL,
    created INTEGER NOT NULL
) STRICT;

-- The bytes of artifacts that arrived in parts, also of those that are not complete.
CREATE TABLE artifact_parts (
    upload INTEGER NOT NULL,
    no INTEGER NOT NULL,
    at INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (upload, no)
) STRICT;

CREATE TABLE artifact_uses (
    digest TEXT NOT NULL,
    run TEXT NOT NULL,
    PRIMARY KEY (digest, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_uses_run ON artifact_uses (run);

CREATE TABLE sealed (
    run TEXT NOT NULL,
    action TEXT NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (run, action)
) STRICT, WITHOUT ROWID;

-- Standing approvals.
CREATE TABLE approvals (
    workspace TEXT NOT NULL,
    scope TEXT NOT NULL,
    tool TEXT NOT NULL,
    granted_by TEXT NOT NULL,
    at INTEGER NOT NULL,
    run TEXT NOT NULL,
    reason TEXT,
    revoked INTEGER,
    covers TEXT NOT NULL,
    until INTEGER,
    action TEXT,
    PRIMARY KEY (workspace, scope)
) STRICT, WITHOUT ROWID;

-- Which journals were pruned, and where they ended.
CREATE TABLE pruned (
    run TEXT NOT NULL PRIMARY KEY,
    head INTEGER NOT NULL,
    hash BLOB NOT NULL,
    at INTEGER NOT NULL
) STRICT;
