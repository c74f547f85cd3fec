DROP INDEX scores_value;
CREATE INDEX scores_by_value ON scores (run, metric, value, sample);
