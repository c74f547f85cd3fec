CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, plan TEXT NOT NULL, identity TEXT NOT NULL, status TEXT NOT NULL,
    number INTEGER NOT NULL, cassette TEXT, results TEXT);
CREATE UNIQUE INDEX runs_number ON runs (number);
CREATE TABLE samples (
    run TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, language TEXT, rating REAL, source TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (run, id));
CREATE TABLE scores (
    run TEXT NOT NULL, sample TEXT NOT NULL, metric TEXT NOT NULL, value REAL, status TEXT NOT NULL,
    reason TEXT NOT NULL, evidence TEXT NOT NULL, usage TEXT NOT NULL, judged INTEGER, left_out INTEGER,
    PRIMARY KEY (run, sample, metric));
CREATE INDEX scores_by_value ON scores (run, metric, value, sample);
CREATE INDEX scores_sentences ON scores (run, metric, sample, judged, left_out) WHERE judged IS NOT NULL;
CREATE TABLE replies (run TEXT NOT NULL, key TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (run, key));
CREATE TABLE nightly_runs (
    id TEXT PRIMARY KEY, suite TEXT NOT NULL, began TEXT NOT NULL, status TEXT NOT NULL, report TEXT,
    number INTEGER NOT NULL, spent TEXT);
CREATE UNIQUE INDEX nightly_runs_number ON nightly_runs (number);
CREATE TABLE runs_of_nightly_runs (
    nightly_run TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (nightly_run, judge));
CREATE TABLE accepted (
    suite TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (suite, judge, number));
CREATE TABLE rating_queues (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, source TEXT NOT NULL, settings TEXT NOT NULL, secret TEXT NOT NULL,
    series INTEGER NOT NULL, changes INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'answers',
    about TEXT NOT NULL DEFAULT '');
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
    rated_at TEXT NOT NULL, shown_first TEXT, PRIMARY KEY (queue, series, rater, sample, is_repeat));
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
CREATE INDEX pushed_scores_run ON pushed_scores (run);
CREATE TABLE watches (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, series INTEGER NOT NULL, began TEXT NOT NULL, identity TEXT NOT NULL,
    settings TEXT NOT NULL, pulled_until TEXT, drawn_at TEXT, rated_at TEXT, reread_at TEXT, stepped_at TEXT, problem TEXT NOT NULL);
CREATE UNIQUE INDEX watches_series ON watches (name, series);
CREATE TABLE watch_items (
    watch TEXT NOT NULL, sample TEXT NOT NULL, trace TEXT NOT NULL, session TEXT NOT NULL, time TEXT NOT NULL,
    cheap REAL, segments TEXT NOT NULL, status TEXT NOT NULL, judge_chance REAL, drawn_on TEXT, run TEXT, tries INTEGER NOT NULL,
    judged REAL, look INTEGER, rating_chance REAL, is_queued INTEGER NOT NULL, ratings TEXT NOT NULL, rating REAL,
    content TEXT, PRIMARY KEY (watch, sample));
CREATE INDEX watch_items_status ON watch_items (watch, status, drawn_on);
CREATE INDEX watch_items_time ON watch_items (watch, time);
CREATE INDEX watch_items_look ON watch_items (watch, look, judged);
CREATE TABLE watch_traces (
    watch TEXT NOT NULL, trace TEXT NOT NULL, sample TEXT NOT NULL, PRIMARY KEY (watch, trace));
CREATE TABLE watch_unread (
    watch TEXT NOT NULL, trace TEXT NOT NULL, time TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (watch, trace));
CREATE TABLE watch_days (
    watch TEXT NOT NULL, day TEXT NOT NULL, drawn INTEGER NOT NULL, queued INTEGER NOT NULL, spent TEXT NOT NULL,
    PRIMARY KEY (watch, day));
CREATE TABLE watch_looks (
    watch TEXT NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, look TEXT NOT NULL, counts TEXT NOT NULL,
    drift TEXT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE watch_alarms (
    watch TEXT NOT NULL, number INTEGER NOT NULL, bound TEXT NOT NULL, sentence TEXT NOT NULL, since TEXT NOT NULL,
    fired_at TEXT NOT NULL, fired_look INTEGER NOT NULL, cleared_at TEXT, cleared_look INTEGER,
    cleared_sentence TEXT NOT NULL, answers TEXT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE watch_deliveries (
    watch TEXT NOT NULL, alarm INTEGER NOT NULL, event TEXT NOT NULL, target TEXT NOT NULL, message TEXT NOT NULL,
    state TEXT NOT NULL, tries INTEGER NOT NULL, ended_at TEXT, problem TEXT NOT NULL,
    PRIMARY KEY (watch, alarm, event, target));
CREATE TABLE watch_drift (
    watch TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (watch, kind, at))
