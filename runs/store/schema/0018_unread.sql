DROP TABLE IF EXISTS watch_unread;
DROP TABLE IF EXISTS watch_drift;
DROP INDEX IF EXISTS watch_items_look;
ALTER TABLE watch_items DROP COLUMN look;
ALTER TABLE watch_looks DROP COLUMN drift
