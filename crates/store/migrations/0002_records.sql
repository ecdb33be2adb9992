-- Conversations. `no` is the order of arrival; the lock is advisory and lives with its session.
CREATE TABLE sessions (
    no INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    workspace_type TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    owner_key TEXT NOT NULL,
    agent_slug TEXT NOT NULL,
    title TEXT NOT NULL,
    metadata TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    provider_response_id TEXT,
    context TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_read_at INTEGER,
    expires_at INTEGER,
    token_id TEXT,
    lock_token TEXT,
    lock_expires_at_ms INTEGER,
    -- How long the transcript is, and the transcript itself, last: whoever does not want it does not read it.
    message_count INTEGER NOT NULL,
    messages BLOB NOT NULL
) STRICT;
CREATE INDEX sessions_by_owner
    ON sessions (workspace_type, workspace_id, owner_type, owner_key, created_at DESC, no DESC);

-- Actions that wait for a decision, and every decision made. The record is JSON; the columns are for queries.
CREATE TABLE approvals (
    no INTEGER PRIMARY KEY,
    action_id TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    kind TEXT NOT NULL,
    agent TEXT,
    workspace_type TEXT,
    workspace_id TEXT,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_by_status ON approvals (status);

-- Requests that wait for a client, and what was answered. The record is JSON as it was written.
CREATE TABLE client_tool_requests (
    no INTEGER PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    pending INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    record TEXT NOT NULL
) STRICT;
CREATE INDEX client_tool_requests_pending ON client_tool_requests (run_id) WHERE pending;

-- Runs of tasks. A row is never taken away: its id is given once, for ever.
CREATE TABLE task_runs (
    run_id TEXT PRIMARY KEY,
    record TEXT NOT NULL
) STRICT;
