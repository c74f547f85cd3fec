DROP TABLE IF EXISTS answer_words;
DROP TABLE IF EXISTS answer_numbers;
DROP TABLE IF EXISTS answers;
CREATE TABLE answers (
    run TEXT NOT NULL, sample TEXT NOT NULL, place INTEGER NOT NULL, language TEXT NOT NULL,
    message_type TEXT NOT NULL, source TEXT NOT NULL, rating REAL, question TEXT NOT NULL, answer TEXT NOT NULL,
    words TEXT NOT NULL, PRIMARY KEY (run, sample));
CREATE INDEX answers_place ON answers (run, place)
