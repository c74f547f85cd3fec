CREATE TABLE decision_looks (
    versions TEXT NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, look TEXT NOT NULL,
    PRIMARY KEY (versions, number))
