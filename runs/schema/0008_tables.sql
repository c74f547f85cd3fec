CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, plan TEXT NOT NULL, identity TEXT NOT NULL, status TEXT NOT NULL,
    number INTEGER NOT NULL, cassette TEXT, results TEXT);
CREATE UNIQUE INDEX runs_number ON runs (number);
CREATE TABLE samples (
    run TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, language TEXT, rating REAL, source TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (run, id));
CREATE TABLE scores (
    run TEXT NOT NULL, sample TEXT NOT NULL, metric TEXT NOT NULL, value REAL, status TEXT NOT NULL,
    reason TEXT NOT NULL, evidence TEXT NOT NULL, usage TEXT NOT NULL, PRIMARY KEY (run, sample, metric));
CREATE INDEX scores_by_value ON scores (run, metric, value, sample);
CREATE TABLE replies (run TEXT NOT NULL, key TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (run, key));
CREATE TABLE nightly_runs (
    id TEXT PRIMARY KEY, suite TEXT NOT NULL, began TEXT NOT NULL, status TEXT NOT NULL, report TEXT,
    number INTEGER NOT NULL);
CREATE UNIQUE INDEX nightly_runs_number ON nightly_runs (number);
CREATE TABLE runs_of_nightly_runs (
    nightly_run TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (nightly_run, judge));
CREATE TABLE accepted (
    suite TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (suite, judge, number));
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
CREATE TABLE answers (
    run TEXT NOT NULL, sample TEXT NOT NULL, number INTEGER NOT NULL, place INTEGER NOT NULL, language TEXT NOT NULL,
    message_type TEXT NOT NULL, source TEXT NOT NULL, rating REAL, question TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (run, sample));
CREATE UNIQUE INDEX answers_number ON answers (run, number);
CREATE INDEX answers_place ON answers (run, place, number, sample);
CREATE INDEX answers_group ON answers (run, source, place, number, sample);
CREATE INDEX answers_kind ON answers (run, language, message_type, place);
CREATE INDEX answers_rating ON answers (run, rating, place, number, sample);
CREATE TABLE answer_numbers (last INTEGER NOT NULL);
CREATE TABLE view_access (secret TEXT NOT NULL);
