CREATE TABLE lost_calls (run TEXT NOT NULL, tokens INTEGER NOT NULL, usd REAL);
CREATE INDEX lost_calls_run ON lost_calls (run)
