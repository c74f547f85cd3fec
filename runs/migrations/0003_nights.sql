CREATE TABLE nights (
    id TEXT PRIMARY KEY, suite TEXT NOT NULL, began TEXT NOT NULL, status TEXT NOT NULL, report TEXT);
CREATE TABLE night_runs (
    night TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (night, judge));
CREATE TABLE accepted (
    suite TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (suite, judge, number));
