-- Which components are real: recurrence of those that are and of those that are not, of mixtures and hidden Markov models of three components,
-- fitted with three and five. A component is real where its mean (its emissions) and weight are near those of one of the three.
-- --seed=N: N is added to all seeds, for fresh data sets.
\if :{?seed} \else \set seed 0 \endif
SELECT set_config('bench.seed', :'seed', false) \gset
SET client_min_messages = warning;
CREATE TEMP TABLE res (family text, s int, sep float8, kfit int, c int, real bool, rec float8);
DO $$ DECLARE n int := current_setting('bench.seed'); f tlv_model; t tlv_model; sep float8; kf int; cov text; BEGIN
FOREACH cov IN ARRAY '{spherical,full}'::text[] LOOP FOREACH sep IN ARRAY '{3.5,5}'::float8[] LOOP FOREACH kf IN ARRAY '{3,5}'::int[] LOOP FOR i IN 1..20 LOOP
 t := tlv_simulate_gmm_model(3, 3, sep, cov, seed => 9000 + n + i);
 DROP TABLE IF EXISTS r;
   CREATE TEMP TABLE r AS SELECT x FROM tlv_simulate_gmm(t, 1500, seed => 9000 + n + i);
 f := tlv_gmm('TABLE r', kf, cov, errors => true);
 INSERT INTO res SELECT cov, i, sep, kf, d.component,
   EXISTS (SELECT 1 FROM tlv_components(t) a, tlv_components(f) b WHERE b.component = d.component AND b.weight / a.weight BETWEEN .7 AND 1.4
     AND (SELECT sum((x.mean - y.mean)^2) FROM tlv_means(t) x JOIN tlv_means(f) y USING (dimension) WHERE x.component = a.component AND y.component = b.component) < .25), d.score
 FROM tlv_diagnostics(f) d WHERE measure = 'recurrence';
END LOOP; END LOOP; END LOOP; END LOOP; END $$;
SELECT family, sep, kfit, real, count(*), round(percentile_cont(.5) WITHIN GROUP (ORDER BY rec)::numeric,2) med,
  round(percentile_cont(.05) WITHIN GROUP (ORDER BY rec)::numeric,2) p5, round(percentile_cont(.95) WITHIN GROUP (ORDER BY rec)::numeric,2) p95 FROM res GROUP BY 1,2,3,4 ORDER BY 1,2,3,4;
SELECT family, avg((a.rec < b.rec)::int) auc, count(*) FROM res a JOIN res b USING (family) WHERE a.real AND NOT b.real GROUP BY 1;
SELECT family, real, l, count(*), avg((rec > l)::int) flagged FROM res, unnest('{.2,.3,.4}'::float8[]) l GROUP BY 1,2,3 ORDER BY 1,2,3;
DROP TABLE res;
CREATE TEMP TABLE res (family text, s int, kfit int, c int, real bool, rec float8);
DO $$ DECLARE n int := current_setting('bench.seed'); f tlv_model; tr tlv_model; kf int; fam text; BEGIN
FOREACH fam IN ARRAY '{symbols,vectors}'::text[] LOOP FOREACH kf IN ARRAY '{3,5}'::int[] LOOP FOR i IN 1..12 LOOP
 IF fam = 'symbols' THEN tr := tlv_simulate_hmm_model(8, 3, stay => .8, seed => 9000 + n + i); DROP TABLE IF EXISTS r;
   CREATE TEMP TABLE r AS SELECT seq, s.t AS at, symbol FROM tlv_simulate_hmm(tr, 100, 50, 9000 + n + i) s;
 ELSE tr := tlv_simulate_hmm_model(NULL, 3, stay => .8, dimensions => 2, seed => 9000 + n + i); DROP TABLE IF EXISTS r;
   CREATE TEMP TABLE r AS SELECT seq, s.t AS at, x FROM tlv_simulate_hmm(tr, 60, 40, 9000 + n + i) s; END IF;
 f := tlv_hmm('TABLE r', kf, errors => true);
 INSERT INTO res SELECT fam, i, kf, d.component,
   EXISTS (SELECT 1 FROM tlv_match(tr, f) m WHERE m.component_b = d.component AND m.distance < .4)
     AND EXISTS (SELECT 1 FROM tlv_match(tr, f) m, tlv_components(tr) a, tlv_components(f) b 
     WHERE m.component_b = d.component AND a.component = m.component_a AND b.component = m.component_b AND b.weight / a.weight BETWEEN .7 AND 1.4), d.score
 FROM tlv_diagnostics(f) d WHERE measure = 'recurrence';
END LOOP; END LOOP; END LOOP; END $$;
SELECT family, kfit, real, count(*), round(percentile_cont(.5) WITHIN GROUP (ORDER BY rec)::numeric,2) med,
  round(percentile_cont(.05) WITHIN GROUP (ORDER BY rec)::numeric,2) p5, round(percentile_cont(.95) WITHIN GROUP (ORDER BY rec)::numeric,2) p95 FROM res GROUP BY 1,2,3 ORDER BY 1,2,3;
SELECT family, avg((a.rec < b.rec)::int) auc, count(*) FROM res a JOIN res b USING (family) WHERE a.real AND NOT b.real GROUP BY 1;
SELECT family, real, l, count(*), avg((rec > l)::int) flagged FROM res, unnest('{.2,.3,.4}'::float8[]) l GROUP BY 1,2,3 ORDER BY 1,2,3;

-- Mixtures of three views, classes, mixed membership and communities of three components, fitted with three and five; topics, 4 fitted with 4 and 7. Nothing was chosen on these.
-- A component is real where it is matched to a true one at less than `near` and is of its size (topics, and memberships: the first).
DROP TABLE res;
CREATE TEMP TABLE res (family text, s int, kfit int, c int, real bool, rec float8);
DO $$ DECLARE n int := current_setting('bench.seed'); f tlv_model; tr tlv_model; kf int; w record; BEGIN
FOR w IN SELECT * FROM (VALUES
  ('views of vectors', 'tlv_simulate_multiview_model(ARRAY[5, 5, 5], k => 3, seed => %s)', 'SELECT x1, x2, x3 FROM tlv_simulate_multiview(%L, 1500, %s)',
     'tlv_multiview(%L, %s, refine => ''em'', errors => true, on_failure => ''null'')', 1., 3, 5, true),
  ('views of categories', 'tlv_simulate_multiview_model(NULL, categories => ARRAY[6, 6, 6], k => 3, seed => %s)',
     'SELECT category1, category2, category3 FROM tlv_simulate_multiview(%L, 4000, %s)', 'tlv_multiview(%L, %s, errors => true)', .3, 3, 5, true),
  ('latent classes', 'tlv_simulate_lca_model(10, 3, 3, seed => %s)', 'SELECT v FROM tlv_simulate_lca(%L, 1000, seed => %s)', 'tlv_lca(%L, %s, errors => true)', .1, 3, 5, true),
  ('mixed membership', 'tlv_simulate_gom_model(30, 3, 3, seed => %s)', 'SELECT v FROM tlv_simulate_gom(%L, 1000, seed => %s)', 'tlv_gom(%L, %s, errors => true)', .15, 3, 5, false),
  ('communities', 'tlv_simulate_mmsb_model(400, 3, 0, .1, .02, seed => %s)', 'SELECT * FROM tlv_simulate_mmsb(%L, %s)',
     'tlv_mmsb(%L, %s, degree_corrected => false, errors => true)', .3, 3, 5, true),
  ('communities, mixed', 'tlv_simulate_mmsb_model(400, 3, .3, .1, .02, seed => %s)', 'SELECT * FROM tlv_simulate_mmsb(%L, %s)', 'tlv_mmsb(%L, %s, alpha0 => .3, errors => true)', .5, 3, 5, true),
  ('topics', 'tlv_simulate_lda_model(300, 4, alpha0 => .4, seed => %s)', 'SELECT bag FROM tlv_simulate_lda(%L, 600, 40, seed => %s)', 'tlv_lda(%L, %s, errors => true)', .5, 4, 7, false)
) v(family, truth, rows, fit, near, least, most, sized) LOOP
 FOREACH kf IN ARRAY ARRAY[w.least, w.most] LOOP FOR i IN 1..20 LOOP
  EXECUTE 'SELECT ' || format(w.truth, 7100 + n + i) INTO tr;
  EXECUTE 'SELECT ' || format(w.fit, format(w.rows, tr, 7100 + n + i), kf) INTO f;
  INSERT INTO res SELECT w.family, i, kf, d.component, EXISTS (SELECT 1 FROM tlv_match(tr, f) m, tlv_components(tr) a, tlv_components(f) b
     WHERE m.component_b = d.component AND m.distance < w.near AND a.component = m.component_a AND b.component = m.component_b AND (NOT w.sized OR b.weight / a.weight BETWEEN .7 AND 1.4)), d.score
  FROM tlv_diagnostics(f) d WHERE measure = 'recurrence';
 END LOOP; END LOOP; END LOOP; END $$;
SELECT family, kfit, real, count(*), round(percentile_cont(.5) WITHIN GROUP (ORDER BY rec)::numeric,2) med,
  round(percentile_cont(.05) WITHIN GROUP (ORDER BY rec)::numeric,2) p5, round(percentile_cont(.95) WITHIN GROUP (ORDER BY rec)::numeric,2) p95 FROM res GROUP BY 1,2,3 ORDER BY 1,2,3;
SELECT family, round(avg((a.rec < b.rec)::int), 3) auc, count(*) FROM res a JOIN res b USING (family) WHERE a.real AND NOT b.real GROUP BY 1 ORDER BY 1;
SELECT family, real, l, count(*), round(avg((rec > l)::int), 3) flagged FROM res, unnest('{.3,.6}'::float8[]) l GROUP BY 1,2,3 ORDER BY 1,2,3;
