ALTER TABLE scores ADD COLUMN judged INTEGER;
ALTER TABLE scores ADD COLUMN left_out INTEGER;
CREATE INDEX scores_sentences ON scores (run, metric, sample, judged, left_out) WHERE judged IS NOT NULL
