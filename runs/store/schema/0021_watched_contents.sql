CREATE INDEX contents_of_turns ON contents (substr(content, 13, 32)) WHERE substr(content, 1, 12) = '{"turn_of":"';
CREATE INDEX samples_content ON samples (content);
CREATE INDEX rating_items_content ON rating_items (content);
CREATE INDEX rating_items_other_content ON rating_items (other_content);
CREATE INDEX watch_items_content ON watch_items (content)
