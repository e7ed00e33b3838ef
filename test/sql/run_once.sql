--
-- A query that may return other rows the next time is run once, whether or not its rows have nulls: the columns with nulls are those of the rows that were read.
--
\set QUIET on
SET client_min_messages = warning;
CREATE TABLE parts AS SELECT i, i % 3 * 5 + sin(i) AS length, CASE WHEN i % 5 > 0 THEN i % 3 * 4 + cos(i * 1.7) END AS width,
  (i % 3)::text AS colour, 'w' || i % 7 AS worker, i % 90 AS item FROM generate_series(1, 600) i;
-- 600 calls are a scan, of each part of a UNION ALL
CREATE FUNCTION counted(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN
  PERFORM set_config('test.read', (current_setting('test.read')::int + 1)::text, false);
  RETURN i;
END$$;
-- nulls in another column at every scan
CREATE FUNCTION wandering(i int, x float8, number int) RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$BEGIN
  RETURN CASE WHEN i % 10 = 0 AND current_setting('test.read')::int / 601 = number THEN NULL ELSE x END;
END$$;
CREATE FUNCTION scans(call text) RETURNS text LANGUAGE plpgsql AS $$DECLARE warned text; BEGIN
  PERFORM set_config('test.read', '0', false);
  SET LOCAL client_min_messages = error;
  EXECUTE 'SELECT string_agg(message, ''; '') FROM tlv_warnings(' || call || ') WHERE code = ''rows_skipped''' INTO warned;
  RETURN round(current_setting('test.read')::int / 600.0, 2) || ' scans; ' || coalesce(warned, 'no warning');
END$$;
\set QUIET off
SELECT scans(call) FROM unnest(ARRAY[
  -- moments alone, and rows that are read again and again
  $$tlv_gmm('SELECT length, width FROM parts WHERE counted(i) > 0', 3, refine => 'none')$$,
  $$tlv_gmm('SELECT length, width FROM parts WHERE counted(i) > 0', 3)$$,
  $$tlv_gmm('SELECT length, length * 2 AS again FROM parts WHERE counted(i) > 0', 3)$$,
  $$tlv_gmm('SELECT CASE WHEN i % 8 > 0 THEN array[length, i % 7] END AS pair FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_gmm('SELECT length, width FROM parts WHERE counted(i) > 300 UNION ALL SELECT width, length FROM parts WHERE counted(i) <= 300', 3)$$,
  -- documents, long and in one value; answers, edges, views, sequences, variables
  $$tlv_lda('SELECT i / 6 AS doc, CASE WHEN i % 9 > 0 THEN colour || i % 4 END AS word FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_lda('SELECT CASE WHEN i % 9 > 0 THEN array[colour, worker, ''w'' || i % 4] END AS words FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_lda('SELECT CASE WHEN i % 9 > 0 THEN to_tsvector(''simple'', colour || '' '' || worker || '' a'' || i % 4) END AS text FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_crowd('SELECT item, worker, CASE WHEN i % 9 > 0 THEN colour END AS answer FROM parts WHERE counted(i) > 0')$$,
  $$tlv_mmsb('SELECT i % 40 AS a, CASE WHEN i % 9 > 0 THEN i * 7 % 40 END AS b, 1 AS weight FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_multiview('SELECT colour, worker, CASE WHEN i % 9 > 0 THEN i % 4 || '''' END AS third FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_multiview('SELECT array[length, i % 7] AS a, array[length, i % 5] AS b, CASE WHEN i % 9 > 0 THEN array[length] END AS c FROM parts WHERE counted(i) > 0', 2, refine => 'em')$$,
  $$tlv_hmm('SELECT i / 60 AS day, i AS step, CASE WHEN i % 9 > 0 THEN colour END AS symbol FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_lca('SELECT CASE WHEN i % 9 > 0 THEN i / 4 END AS respondent, ''q'' || i % 4 AS question, colour FROM parts WHERE counted(i) > 0', 2)$$,
  $$tlv_tree('SELECT length, width, length * i AS more FROM parts WHERE counted(i) > 0', layout => 'wide')$$]) call;
-- the columns are those of the rows that the fit has read
SELECT scans(format($$tlv_gmm('SELECT wandering(i, length, 0) AS first, wandering(i, length, 1) AS second FROM parts WHERE counted(i) > 0', 3%s)$$, o))
  FROM unnest(ARRAY['', ', refine => ''none''']) o;
SELECT scans($$tlv_mmsb('SELECT i % 40 AS a, (i + i % 3) % 40 AS b, wandering(i, 1, 0) AS first FROM parts WHERE counted(i) > 0', 2)$$);
DROP FUNCTION scans(text), wandering(int, float8, int), counted(int);
DROP TABLE parts;
