-- Questions that need not be asked again, and whose word that is.
CREATE TABLE remembered (
    no INTEGER PRIMARY KEY,
    workspace TEXT NOT NULL,
    principal TEXT NOT NULL,
    agent TEXT NOT NULL,
    tool TEXT NOT NULL,
    layer TEXT NOT NULL,
    rule TEXT NOT NULL,
    said_by TEXT NOT NULL,
    said_at TEXT NOT NULL,
    run TEXT NOT NULL,
    UNIQUE (workspace, principal, agent, tool, layer, rule)
) STRICT;
