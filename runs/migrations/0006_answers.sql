CREATE TABLE answers (
    run TEXT NOT NULL, sample TEXT NOT NULL, number INTEGER NOT NULL, place INTEGER NOT NULL, language TEXT NOT NULL,
    message_type TEXT NOT NULL, source TEXT NOT NULL, rating REAL, question TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (run, sample));
CREATE UNIQUE INDEX answers_number ON answers (run, number);
CREATE INDEX answers_place ON answers (run, place, number, sample);
CREATE INDEX answers_group ON answers (run, source, place, number, sample);
CREATE INDEX answers_kind ON answers (run, language, message_type, place);
CREATE INDEX answers_rating ON answers (run, rating, place, number, sample);
CREATE INDEX scores_value ON scores (run, metric, value);
CREATE TABLE answer_numbers (last INTEGER NOT NULL);
CREATE TABLE view_access (secret TEXT NOT NULL);
ALTER TABLE runs ADD COLUMN cassette TEXT;
