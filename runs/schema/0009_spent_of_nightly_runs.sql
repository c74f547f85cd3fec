ALTER TABLE nightly_runs ADD COLUMN spent TEXT
