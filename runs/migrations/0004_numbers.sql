ALTER TABLE runs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET number = (
    SELECT count(*) FROM runs AS earlier
    WHERE earlier.created < runs.created OR (earlier.created = runs.created AND earlier.id <= runs.id));
CREATE UNIQUE INDEX runs_number ON runs (number);
ALTER TABLE nights RENAME TO nightly_runs;
ALTER TABLE nightly_runs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE nightly_runs SET number = (
    SELECT count(*) FROM nightly_runs AS earlier
    WHERE earlier.began < nightly_runs.began OR (earlier.began = nightly_runs.began AND earlier.id <= nightly_runs.id));
CREATE UNIQUE INDEX nightly_runs_number ON nightly_runs (number);
ALTER TABLE night_runs RENAME TO runs_of_nightly_runs;
ALTER TABLE runs_of_nightly_runs RENAME COLUMN night TO nightly_run;
