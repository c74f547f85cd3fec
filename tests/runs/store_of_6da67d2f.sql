BEGIN TRANSACTION;
CREATE TABLE accepted (
    suite TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, at TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (suite, judge, number));
CREATE TABLE answer_numbers (last INTEGER NOT NULL);
CREATE TABLE answers (
    run TEXT NOT NULL, sample TEXT NOT NULL, number INTEGER NOT NULL, place INTEGER NOT NULL, language TEXT NOT NULL,
    message_type TEXT NOT NULL, source TEXT NOT NULL, rating REAL, question TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (run, sample));
CREATE TABLE nightly_runs (
    id TEXT PRIMARY KEY, suite TEXT NOT NULL, began TEXT NOT NULL, status TEXT NOT NULL, report TEXT,
    number INTEGER NOT NULL, spent TEXT);
CREATE TABLE pull_cursors (
    id TEXT PRIMARY KEY, address TEXT NOT NULL, filter TEXT NOT NULL, unit TEXT NOT NULL, watermark TEXT, pending TEXT);
CREATE TABLE pulled_sessions (
    cursor TEXT NOT NULL, session TEXT NOT NULL, is_pending INTEGER NOT NULL, PRIMARY KEY (cursor, session));
CREATE TABLE pulled_traces (
    cursor TEXT NOT NULL, trace TEXT NOT NULL, began REAL NOT NULL, is_pending INTEGER NOT NULL,
    PRIMARY KEY (cursor, trace));
CREATE TABLE pushed_scores (
    score TEXT NOT NULL, address TEXT NOT NULL, run TEXT NOT NULL, content TEXT NOT NULL, pushed_at TEXT NOT NULL,
    PRIMARY KEY (score, address));
CREATE TABLE rating_adjudications (
    queue TEXT NOT NULL, series INTEGER NOT NULL, sample TEXT NOT NULL, value REAL NOT NULL, reason TEXT NOT NULL,
    adjudicated_at TEXT NOT NULL, PRIMARY KEY (queue, series, sample));
INSERT INTO "rating_adjudications" VALUES('rating-20261129-140911-643b',1,'q0',3.0,'agreed','2026-11-29T14:09:11.674301+00:00');
CREATE TABLE rating_guidelines (
    queue TEXT NOT NULL, series INTEGER NOT NULL, created TEXT NOT NULL, guideline TEXT NOT NULL,
    PRIMARY KEY (queue, series));
INSERT INTO "rating_guidelines" VALUES('rating-20261129-140911-643b',1,'2026-11-29T14:09:11.672679+00:00','Be fair.');
INSERT INTO "rating_guidelines" VALUES('rating-20261129-140911-7c13',1,'2026-11-29T14:09:11.674964+00:00','Be fair.');
INSERT INTO "rating_guidelines" VALUES('rating-20261129-140912-669d',1,'2026-11-29T14:09:12.675621+00:00','Be fair.');
CREATE TABLE rating_items (
    queue TEXT NOT NULL, sample TEXT NOT NULL, place INTEGER NOT NULL, probability REAL, ratings INTEGER NOT NULL,
    is_complete INTEGER NOT NULL, content TEXT NOT NULL, PRIMARY KEY (queue, sample));
INSERT INTO "rating_items" VALUES('rating-20261129-140911-643b','q0',0,NULL,2,1,'{"id":"q0","user_input":"Free 0?","response":"Yes, 0.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140911-643b','q1',1,NULL,1,0,'{"id":"q1","user_input":"Free 1?","response":"Yes, 1.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140911-643b','q2',2,NULL,0,0,'{"id":"q2","user_input":"Free 2?","response":"Yes, 2.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140911-7c13','chat#1',0,NULL,1,1,'{"messages_at":"chat#3","message_count":2,"id":"chat#1","user_input":"Free?","response":"Yes.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":"chat","metadata":{"conversation":"chat","turn":1}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140911-7c13','chat#3',1,NULL,1,1,'{"id":"chat#3","user_input":"Until when?","response":"May.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":"chat","messages":[{"role":"user","content":"Free?","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null},{"role":"assistant","content":"Yes.","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null},{"role":"user","content":"Until when?","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null},{"role":"assistant","content":"May.","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null}],"metadata":{"conversation":"chat","turn":3}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140911-7c13','one#1',2,NULL,1,1,'{"id":"one#1","user_input":"Free?","response":"Yes.","retrieved_contexts":[],"reference":null,"language":null,"tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":"one","messages":[{"role":"user","content":"Free?","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null},{"role":"assistant","content":"Yes.","tool_calls":[],"tool_call_id":null,"name":null,"retrieved_contexts":[],"time":null,"rating":null}],"metadata":{"conversation":"one","turn":1}}');
INSERT INTO "rating_items" VALUES('rating-20261129-140912-669d','pair-1',0,NULL,1,1,'{"question":"q1","group":"","first":"old","second":"new","ids":["q1","q1"],"answers":[{"id":"q1","user_input":"Free 1?","response":"old 1.","retrieved_contexts":[],"reference":null,"language":"en","tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}},{"id":"q1","user_input":"Free 1?","response":"new 1.","retrieved_contexts":[],"reference":null,"language":"en","tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}}]}');
INSERT INTO "rating_items" VALUES('rating-20261129-140912-669d','pair-2',1,NULL,0,0,'{"question":"q0","group":"","first":"old","second":"new","ids":["q0","q0"],"answers":[{"id":"q0","user_input":"Free 0?","response":"old 0.","retrieved_contexts":[],"reference":null,"language":"en","tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}},{"id":"q0","user_input":"Free 0?","response":"new 0.","retrieved_contexts":[],"reference":null,"language":"en","tables":[],"rating":null,"ratings":{},"rating_min":1.0,"rating_max":5.0,"message_type":null,"other_response":"","group":null,"messages":[],"metadata":{}}]}');
CREATE TABLE rating_locks (
    queue TEXT NOT NULL, rater TEXT NOT NULL, sample TEXT NOT NULL, is_repeat INTEGER NOT NULL, began REAL NOT NULL,
    expires REAL NOT NULL, PRIMARY KEY (queue, rater));
CREATE TABLE rating_queues (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, source TEXT NOT NULL, settings TEXT NOT NULL, secret TEXT NOT NULL,
    series INTEGER NOT NULL, changes INTEGER NOT NULL, kind TEXT NOT NULL DEFAULT 'answers', about TEXT NOT NULL DEFAULT '');
INSERT INTO "rating_queues" VALUES('rating-20261129-140911-643b','2026-11-29T14:09:11.672679+00:00','answers.jsonl','{"raters":["ada","bob"],"per_answer":2,"rating_min":1,"rating_max":5,"repeat_share":0.0,"lock_seconds":900.0,"seed":0,"choose":"random","turns":"none"}','0000000000000000000000000000000000000000000000000000000000000000',1,7,'answers','');
INSERT INTO "rating_queues" VALUES('rating-20261129-140911-7c13','2026-11-29T14:09:11.674964+00:00','chats.jsonl','{"raters":["ada"],"per_answer":1,"rating_min":1,"rating_max":5,"repeat_share":0.0,"lock_seconds":900.0,"seed":0,"choose":"random","turns":"each"}','0000000000000000000000000000000000000000000000000000000000000000',1,6,'answers','');
INSERT INTO "rating_queues" VALUES('rating-20261129-140912-669d','2026-11-29T14:09:12.675621+00:00','old against new','{"raters":["ada"],"per_answer":1,"rating_min":-1,"rating_max":1,"repeat_share":0.0,"lock_seconds":900.0,"seed":0,"choose":"random","turns":"none"}','0000000000000000000000000000000000000000000000000000000000000000',1,2,'pairs','{"versions":[{"name":"old","source":"old.jsonl","field":""},{"name":"new","source":"new.jsonl","field":""}],"same":[]}');
CREATE TABLE ratings (
    queue TEXT NOT NULL, series INTEGER NOT NULL, rater TEXT NOT NULL, sample TEXT NOT NULL, is_repeat INTEGER NOT NULL,
    number INTEGER NOT NULL, value REAL, reason TEXT NOT NULL, wrong_sentences TEXT NOT NULL, seconds REAL NOT NULL,
    rated_at TEXT NOT NULL, shown_first TEXT, PRIMARY KEY (queue, series, rater, sample, is_repeat));
INSERT INTO "ratings" VALUES('rating-20261129-140911-643b',1,'ada','q0',0,1,4.0,'clear','["Yes, 0."]',4.322528839111328125e-04,'2026-11-29T14:09:11.673613+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140911-643b',1,'ada','q1',0,2,NULL,'','[]',1.69277191162109375e-04,'2026-11-29T14:09:11.673990+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140911-643b',1,'bob','q0',0,3,2.0,'','[]',1.146793365478515625e-04,'2026-11-29T14:09:11.674209+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140911-7c13',1,'ada','chat#1',0,1,5.0,'','[]',3.879070281982421875e-04,'2026-11-29T14:09:11.675538+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140911-7c13',1,'ada','chat#3',0,2,1.0,'','[]',2.95734405517578125e-03,'2026-11-29T14:09:11.678604+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140911-7c13',1,'ada','one#1',0,3,2.0,'','[]',2.973079681396484375e-04,'2026-11-29T14:09:11.679066+00:00',NULL);
INSERT INTO "ratings" VALUES('rating-20261129-140912-669d',1,'ada','pair-1',0,1,1.0,'so','[]',2.577304840087890625e-04,'2026-11-29T14:09:12.676264+00:00','new');
CREATE TABLE replies (run TEXT NOT NULL, key TEXT NOT NULL, line BLOB NOT NULL, PRIMARY KEY (run, key));
CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL, plan TEXT NOT NULL, identity TEXT NOT NULL, status TEXT NOT NULL,
    number INTEGER NOT NULL, cassette TEXT, results TEXT);
CREATE TABLE runs_of_nightly_runs (
    nightly_run TEXT NOT NULL, judge TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (nightly_run, judge));
CREATE TABLE samples (
    run TEXT NOT NULL, id TEXT NOT NULL, place INTEGER NOT NULL, language TEXT, rating REAL, source TEXT NOT NULL,
    content TEXT NOT NULL, PRIMARY KEY (run, id));
CREATE TABLE scores (
    run TEXT NOT NULL, sample TEXT NOT NULL, metric TEXT NOT NULL, value REAL, status TEXT NOT NULL,
    reason TEXT NOT NULL, evidence TEXT NOT NULL, usage TEXT NOT NULL, judged INTEGER, left_out INTEGER, PRIMARY KEY (run, sample, metric));
CREATE TABLE trace_addresses (address TEXT PRIMARY KEY, pulled_at TEXT NOT NULL);
CREATE TABLE view_access (secret TEXT NOT NULL);
CREATE TABLE watch_alarms (
    watch TEXT NOT NULL, number INTEGER NOT NULL, bound TEXT NOT NULL, sentence TEXT NOT NULL, since TEXT NOT NULL,
    fired_at TEXT NOT NULL, fired_look INTEGER NOT NULL, cleared_at TEXT, cleared_look INTEGER,
    cleared_sentence TEXT NOT NULL, answers TEXT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE watch_days (
    watch TEXT NOT NULL, day TEXT NOT NULL, drawn INTEGER NOT NULL, queued INTEGER NOT NULL, spent TEXT NOT NULL,
    PRIMARY KEY (watch, day));
CREATE TABLE watch_deliveries (
    watch TEXT NOT NULL, alarm INTEGER NOT NULL, event TEXT NOT NULL, target TEXT NOT NULL, message TEXT NOT NULL,
    state TEXT NOT NULL, tries INTEGER NOT NULL, ended_at TEXT, problem TEXT NOT NULL,
    PRIMARY KEY (watch, alarm, event, target));
CREATE TABLE watch_drift (
    watch TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, result TEXT NOT NULL, PRIMARY KEY (watch, kind, at));
CREATE TABLE watch_items (
    watch TEXT NOT NULL, sample TEXT NOT NULL, trace TEXT NOT NULL, session TEXT NOT NULL, time TEXT NOT NULL,
    cheap REAL, segments TEXT NOT NULL, status TEXT NOT NULL, judge_chance REAL, drawn_on TEXT, run TEXT, tries INTEGER NOT NULL,
    judged REAL, look INTEGER, rating_chance REAL, is_queued INTEGER NOT NULL, ratings TEXT NOT NULL, rating REAL,
    content TEXT, PRIMARY KEY (watch, sample));
CREATE TABLE watch_looks (
    watch TEXT NOT NULL, number INTEGER NOT NULL, at TEXT NOT NULL, look TEXT NOT NULL, counts TEXT NOT NULL,
    drift TEXT NOT NULL, PRIMARY KEY (watch, number));
CREATE TABLE watch_traces (
    watch TEXT NOT NULL, trace TEXT NOT NULL, sample TEXT NOT NULL, PRIMARY KEY (watch, trace));
CREATE TABLE watch_unread (
    watch TEXT NOT NULL, trace TEXT NOT NULL, time TEXT NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (watch, trace));
CREATE TABLE watches (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, series INTEGER NOT NULL, began TEXT NOT NULL, identity TEXT NOT NULL,
    settings TEXT NOT NULL, pulled_until TEXT, drawn_at TEXT, rated_at TEXT, reread_at TEXT, stepped_at TEXT, problem TEXT NOT NULL);
CREATE UNIQUE INDEX runs_number ON runs (number);
CREATE INDEX scores_by_value ON scores (run, metric, value, sample);
CREATE UNIQUE INDEX nightly_runs_number ON nightly_runs (number);
CREATE INDEX rating_items_open ON rating_items (queue, is_complete, place);
CREATE UNIQUE INDEX answers_number ON answers (run, number);
CREATE INDEX answers_place ON answers (run, place, number, sample);
CREATE INDEX answers_group ON answers (run, source, place, number, sample);
CREATE INDEX answers_kind ON answers (run, language, message_type, place);
CREATE INDEX answers_rating ON answers (run, rating, place, number, sample);
CREATE INDEX scores_sentences ON scores (run, metric, sample, judged, left_out) WHERE judged IS NOT NULL
;
CREATE INDEX pushed_scores_run ON pushed_scores (run)
;
CREATE UNIQUE INDEX watches_series ON watches (name, series);
CREATE INDEX watch_items_status ON watch_items (watch, status, drawn_on);
CREATE INDEX watch_items_time ON watch_items (watch, time);
CREATE INDEX watch_items_look ON watch_items (watch, look, judged);
PRAGMA user_version = 13;
COMMIT;
