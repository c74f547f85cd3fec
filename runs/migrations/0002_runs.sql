CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, plan TEXT NOT NULL, identity TEXT NOT NULL, status TEXT NOT NULL);
CREATE TABLE samples (
    run TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, language TEXT, rating REAL, source TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (run, id));
CREATE TABLE scores (
    run TEXT NOT NULL, sample TEXT NOT NULL, metric TEXT NOT NULL, value REAL, status TEXT NOT NULL,
    reason TEXT NOT NULL, evidence TEXT NOT NULL, usage TEXT NOT NULL, PRIMARY KEY (run, sample, metric));
CREATE TABLE replies (run TEXT NOT NULL, key TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (run, key));
