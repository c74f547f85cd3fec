ALTER TABLE rating_items DROP COLUMN probability;
ALTER TABLE rating_items ADD COLUMN fingerprint TEXT NOT NULL DEFAULT '';
ALTER TABLE rating_items ADD COLUMN other_fingerprint TEXT NOT NULL DEFAULT '';
CREATE INDEX rating_items_fingerprint ON rating_items (fingerprint)
