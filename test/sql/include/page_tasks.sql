-- What a page is read for: task_docs, task_edges, task_answers, and a model of each in task_models (name, model).
-- Documents of two themes; each has four words of its own and one of both.
CREATE TABLE task_docs AS SELECT d AS id,
  (SELECT array_agg((CASE d % 2 WHEN 0 THEN '{match,team,goal,coach,season}' ELSE '{vote,party,minister,law,season}' END::text[])[1 + (d * 31 + w * 7 + w / 4) % 5])
  FROM generate_series(1, 30) w) AS words FROM generate_series(1, 120) d;
-- Three groups of twelve nodes; two nodes are joined with all of the first and the second.
CREATE TABLE task_edges AS SELECT DISTINCT a.name AS src, b.name AS dst FROM (SELECT i, i % 3 AS g, 'person ' || i AS name FROM generate_series(1, 36) i) a,
  (SELECT i, i % 3 AS g, 'person ' || i AS name FROM generate_series(1, 36) i
   UNION ALL SELECT 100, 0, 'bridge ' || b FROM generate_series(1, 2) b UNION ALL SELECT 100, 1, 'bridge ' || b FROM generate_series(1, 2) b) b
  WHERE a.i < b.i AND a.g = b.g AND (a.i * 7919 + b.i * 104729) % 10 < 8;
-- Three classes: the first differs from both others in the questions 1 to 3, these differ from each other in the questions 4 to 6.
CREATE TABLE task_answers AS SELECT id, 'question ' || v AS variable,
  CASE WHEN (CASE WHEN v <= 3 THEN id % 3 = 0 ELSE id % 3 = 1 END) <> (abs(hashint4(id * 10 + v)) % 8 = 0) THEN 'yes' ELSE 'no' END AS answer
  FROM generate_series(1, 600) id, generate_series(1, 6) v;
CREATE TABLE task_models AS SELECT 'themes' AS name, tlv_lda('SELECT words FROM task_docs', 2, seed => 1) AS model
  UNION ALL SELECT 'people', tlv_mmsb('SELECT src, dst FROM task_edges', 3, alpha0 => 0.3)
  UNION ALL SELECT 'voters', tlv_lca('SELECT id, variable, answer FROM task_answers', 3);
