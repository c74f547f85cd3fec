CREATE TABLE rating_queues (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, source TEXT NOT NULL, settings TEXT NOT NULL, secret TEXT NOT NULL,
    series INTEGER NOT NULL, changes INTEGER NOT NULL);
CREATE TABLE rating_guidelines (
    queue TEXT NOT NULL, series INTEGER NOT NULL, created TEXT NOT NULL, guideline TEXT NOT NULL,
    PRIMARY KEY (queue, series));
CREATE TABLE rating_items (
    queue TEXT NOT NULL, sample TEXT NOT NULL, place INTEGER NOT NULL, probability REAL, ratings INTEGER NOT NULL,
    is_complete INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (queue, sample));
CREATE INDEX rating_items_open ON rating_items (queue, is_complete, place);
CREATE TABLE rating_locks (
    queue TEXT NOT NULL, rater TEXT NOT NULL, sample TEXT NOT NULL, is_repeat INTEGER NOT NULL, began REAL NOT NULL,
    expires REAL NOT NULL, PRIMARY KEY (queue, rater));
CREATE TABLE ratings (
    queue TEXT NOT NULL, series INTEGER NOT NULL, rater TEXT NOT NULL, sample TEXT NOT NULL, is_repeat INTEGER NOT NULL,
    number INTEGER NOT NULL, value REAL, reason TEXT NOT NULL, wrong_sentences TEXT NOT NULL, seconds REAL NOT NULL,
    rated_at TEXT NOT NULL, PRIMARY KEY (queue, series, rater, sample, is_repeat));
CREATE TABLE rating_adjudications (
    queue TEXT NOT NULL, series INTEGER NOT NULL, sample TEXT NOT NULL, value REAL NOT NULL, reason TEXT NOT NULL,
    adjudicated_at TEXT NOT NULL, PRIMARY KEY (queue, series, sample));
