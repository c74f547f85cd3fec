CREATE TABLE contents (key TEXT PRIMARY KEY, content TEXT NOT NULL);
ALTER TABLE rating_items ADD COLUMN other_content TEXT NOT NULL DEFAULT '';
ALTER TABLE rating_items ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE rating_queues DROP COLUMN kind;
ALTER TABLE answers DROP COLUMN question;
ALTER TABLE answers DROP COLUMN answer;
ALTER TABLE nightly_runs DROP COLUMN spent
