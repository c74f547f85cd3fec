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
