-- What a statement ends with: its rows (null-free text) or SQLSTATE and message.
CREATE OR REPLACE FUNCTION pg_temp.outcome(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  result text; state text; message text; detail text; hint text;
BEGIN
  EXECUTE sql INTO result;
  RETURN 'no error: ' || coalesce(result, 'null');
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
    detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN state || ': ' || message || CASE WHEN detail <> '' THEN E'\n  DETAIL: ' || detail ELSE '' END
    || CASE WHEN hint <> '' THEN E'\n  HINT: ' || hint ELSE '' END;
END $$;
-- The node names of a plan, outermost first.
CREATE OR REPLACE FUNCTION pg_temp.nodes(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT json, COSTS off) ' || sql INTO plan;
  RETURN (WITH RECURSIVE node AS (
      SELECT 1 AS depth, ARRAY[0] AS path, plan->0->'Plan' AS n
      UNION ALL
      SELECT depth + 1, path || i::int, child
      FROM node, json_array_elements(n->'Plans') WITH ORDINALITY AS c(child, i))
    SELECT string_agg(concat_ws(' ', nullif(n->>'Partial Mode', 'Simple'),
                                CASE WHEN n->>'Node Type' = 'Aggregate' THEN nullif(n->>'Strategy', 'Plain') END,
                                n->>'Node Type'), ' > ' ORDER BY path)
    FROM node);
END $$;
