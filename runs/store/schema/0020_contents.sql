CREATE TABLE contents (key TEXT PRIMARY KEY, content TEXT NOT NULL);
ALTER TABLE rating_items ADD COLUMN other_content TEXT NOT NULL DEFAULT '';
ALTER TABLE rating_items ADD COLUMN about TEXT NOT NULL DEFAULT '';
ALTER TABLE rating_queues DROP COLUMN kind;
ALTER TABLE samples ADD COLUMN words TEXT NOT NULL DEFAULT '';
UPDATE samples SET words =
    coalesce((SELECT words FROM answers WHERE answers.run = samples.run AND answers.sample = samples.id), '');
CREATE INDEX samples_place ON samples (run, place);
DROP TABLE answers;
ALTER TABLE nightly_runs DROP COLUMN spent;
CREATE TABLE watch_messages (
    watch TEXT NOT NULL, alarm INTEGER NOT NULL, event TEXT NOT NULL, message TEXT NOT NULL,
    PRIMARY KEY (watch, alarm, event));
INSERT INTO watch_messages SELECT watch, alarm, event, max(message) FROM watch_deliveries WHERE state = 'waiting'
    GROUP BY watch, alarm, event;
DROP TABLE watch_deliveries
