-- calibration.sql - are posteriors as certain as they should be? Expected calibration error of the most probable component, of new rows of all data sets together in 15 bins, of tlv_infer and of
-- tlv_infer(..., uncertain => true), beside the true model's; mean certainty, share of rows whose component is right, and their mean logarithmic loss.  Asked: half the error.
-- --reps=40 for more data sets a line than 10, --seed=N for fresh ones.
\if :{?reps} \else \set reps 10 \endif
\if :{?seed} \else \set seed 1 \endif
SELECT set_config('bench.reps', :'reps', false), set_config('bench.seed', :'seed', false) \gset
SET client_min_messages = error;
CREATE TEMP TABLE settings AS SELECT * FROM (VALUES
  ('gmm full d=2 k=3 sep 2 n=1000', 'tlv_simulate_gmm_model(2, 3, 2, ''full'', seed => $1)', 'SELECT s.x AS row, ARRAY[s.component] AS truth FROM tlv_simulate_gmm($1, 1000, seed => $2) s',
     'tlv_gmm(''SELECT row FROM rows'', 3, ''full'', errors => true)'),
  ('gmm full d=2 k=3 sep 3 n=500', 'tlv_simulate_gmm_model(2, 3, 3, ''full'', seed => $1)', 'SELECT s.x AS row, ARRAY[s.component] AS truth FROM tlv_simulate_gmm($1, 500, seed => $2) s',
     'tlv_gmm(''SELECT row FROM rows'', 3, ''full'', errors => true)'),
  ('gmm full d=4 k=3 sep 2 n=2000', 'tlv_simulate_gmm_model(4, 3, 2, ''full'', seed => $1)', 'SELECT s.x AS row, ARRAY[s.component] AS truth FROM tlv_simulate_gmm($1, 2000, seed => $2) s',
     'tlv_gmm(''SELECT row FROM rows'', 3, ''full'', errors => true)'),
  ('gmm spherical d=4 k=3 sep 2 n=500', 'tlv_simulate_gmm_model(4, 3, 2, ''spherical'', seed => $1)', 'SELECT s.x AS row, ARRAY[s.component] AS truth FROM tlv_simulate_gmm($1, 500, seed =>
     $2) s', 'tlv_gmm(''SELECT row FROM rows'', 3, ''spherical'', errors => true)'),
  ('hmm symbols k=3 m=6 stay .7 1 x 2000', 'tlv_simulate_hmm_model(6, 3, stay => .7, seed => $1)', 'SELECT array_agg(s.symbol::int ORDER BY t) AS row, array_agg(s.state ORDER BY t) AS truth
     FROM tlv_simulate_hmm($1, 1, 2000, $2) s GROUP BY seq', 'tlv_hmm(''SELECT 1 AS seq, t, s FROM rows, unnest(row) WITH ORDINALITY u(s, t)'', 3, errors => true)'),
  ('views categories 5,5,5 k=3 n=1000', 'tlv_simulate_multiview_model(NULL, categories => ARRAY[5,5,5], k => 3, seed => $1)', 'SELECT ARRAY[s.category1, s.category2, s.category3] AS row,
     ARRAY[s.component] AS truth FROM tlv_simulate_multiview($1, 1000, $2) s', 'tlv_multiview(''SELECT row[1], row[2], row[3] FROM rows'', 3, errors => true)'))
  AS v(setting, model, rows, fit);
CREATE TEMP TABLE told (setting text, how text, certainty float8, is_right boolean, of_truth float8);
DO $$
DECLARE s record; rep int; m tlv_model; f tlv_model; seed int;
BEGIN
  FOR s IN SELECT * FROM settings LOOP FOR rep IN 1 .. current_setting('bench.reps')::int LOOP
    seed := current_setting('bench.seed')::int * 1000 + rep;
    EXECUTE 'SELECT ' || s.model INTO m USING seed;
    DROP TABLE IF EXISTS rows, fresh;
    EXECUTE 'CREATE TEMP TABLE rows AS ' || replace(replace(s.rows, '$1', quote_literal(m) || '::tlv_model'), '$2', seed::text);
    EXECUTE 'CREATE TEMP TABLE fresh AS ' || replace(replace(s.rows, '$1', quote_literal(m) || '::tlv_model'), '$2', (seed + 500)::text);
    EXECUTE 'SELECT ' || s.fit INTO f;
    CONTINUE WHEN NOT EXISTS (SELECT FROM tlv_estimates(f) WHERE standard_error IS NOT NULL);
    DROP TABLE IF EXISTS pairs, shares;
    CREATE TEMP TABLE pairs AS SELECT component_a AS true_one, component_b AS j FROM tlv_match(m, f);
    CREATE TEMP TABLE shares AS
    SELECT id, how, (o - 1) / 3 + 1 AS step, (o - 1) % 3 + 1 AS j, p
    FROM (SELECT row_number() OVER () AS id, row FROM fresh) r,
      LATERAL (VALUES ('true model', tlv_infer(m, row)), ('tlv_infer', tlv_infer(f, row)), ('uncertain', tlv_infer(f, row, uncertain => true))) h(how, shares), unnest(shares) WITH
     ORDINALITY u(p, o);
    INSERT INTO told
    SELECT s.setting, how, max(p), (array_agg(own ORDER BY p DESC))[1] = t.truth, sum(p) FILTER (WHERE own = t.truth)
    FROM (SELECT h.*, CASE WHEN how = 'true model' THEN j ELSE true_one END AS own FROM shares h JOIN pairs USING (j)) h
      JOIN (SELECT row_number() OVER () AS id, truth FROM fresh) r USING (id), LATERAL (SELECT r.truth[h.step] AS truth) t
    GROUP BY how, h.id, h.step, t.truth;
  END LOOP; END LOOP;
END $$;
SELECT setting, how, round(sum(abs(gap))::numeric / sum(n), 3) AS calibration_error, round(sum(c)::numeric / sum(n), 3) AS certainty, round(sum(r)::numeric / sum(n), 3) AS right,
     round(sum(l)::numeric / sum(n), 3) AS log_loss
FROM (SELECT setting, how, width_bucket(certainty, 0, 1, 15) AS bin, count(*) AS n, sum(certainty) - sum(is_right::int) AS gap, sum(certainty) AS c, sum(is_right::int) AS r,
     -sum(ln(greatest(of_truth, 1e-10))) AS l
      FROM told GROUP BY 1, 2, 3) b
GROUP BY 1, 2 ORDER BY 1, 2;
