CREATE TABLE trace_addresses (address TEXT PRIMARY KEY, pulled_at TEXT NOT NULL);
CREATE TABLE pull_cursors (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, filter TEXT NOT NULL, unit TEXT NOT NULL, watermark TEXT, pending TEXT);
CREATE TABLE pulled_traces (
    cursor TEXT NOT NULL, trace TEXT NOT NULL, began REAL NOT NULL, is_pending INTEGER NOT NULL,
    PRIMARY KEY (cursor, trace));
CREATE TABLE pulled_sessions (
    cursor TEXT NOT NULL, session TEXT NOT NULL, is_pending INTEGER NOT NULL, PRIMARY KEY (cursor, session));
CREATE TABLE pushed_scores (
    score TEXT NOT NULL, address TEXT NOT NULL, run TEXT NOT NULL, content TEXT NOT NULL, pushed_at TEXT NOT NULL,
    PRIMARY KEY (score, address));
CREATE INDEX pushed_scores_run ON pushed_scores (run)
