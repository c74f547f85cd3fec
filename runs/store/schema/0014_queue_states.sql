ALTER TABLE watch_items ADD COLUMN queue_state TEXT NOT NULL DEFAULT 'left';
UPDATE watch_items SET queue_state = CASE is_queued WHEN 2 THEN 'drawn' WHEN 1 THEN 'queued' ELSE 'left' END;
ALTER TABLE watch_items DROP COLUMN is_queued
