-- coverage_topics.sql - how often 95 % intervals of topics hold the truth, and the stated standard error over the real one: 2,000 documents of 60 words over 300, 5 topics, 200 sets of
-- documents a row.  Asked: .93 to .97.  --reps=40 for fewer.
\if :{?reps} \else \set reps 200 \endif
SELECT set_config('bench.reps', :'reps', false) \gset
CREATE TEMP TABLE truth AS
  SELECT tlv_topic_model(array_agg(topic), array_agg(item), array_agg(probability), '{.05,.075,.1,.125,.15}') AS model FROM tlv_topic_items(tlv_simulate_lda_model(300, 5, alpha0 => .5, seed => 21));
CREATE TEMP TABLE docs (doc bigint, bag tlv_bag);
CREATE TEMP TABLE found (refine text, rep int, model tlv_model);
DO $$
BEGIN
  FOR rep IN 1 .. current_setting('bench.reps')::int LOOP
    TRUNCATE docs;
    INSERT INTO docs SELECT s.doc, s.bag FROM truth, tlv_simulate_lda(model, 2000, 60, seed => 1000 + rep) s;
    INSERT INTO found SELECT r, rep, tlv_lda('SELECT bag FROM docs', 5, refine => r, errors => true) FROM unnest('{none,gibbs,stepwise}'::text[]) r;
    -- by the jackknife of 20 fits without a group of documents
    INSERT INTO found SELECT 'groups', rep, tlv_jackknife(tlv_lda('SELECT bag FROM docs', 5, refine => 'none', alpha0 => .5), ARRAY(
      SELECT tlv_lda(format('SELECT bag FROM docs WHERE doc %% 20 <> %s', g), 5, refine => 'none', alpha0 => .5) FROM generate_series(0, 19) g));
  END LOOP;
END $$;
CREATE TEMP TABLE compared AS
  SELECT refine, e.part, e.estimate, e.standard_error, e.low, e.high, t.estimate AS true
  FROM found f, truth, tlv_match(truth.model, f.model) m, tlv_estimates(f.model) e, tlv_estimates(truth.model) t
  WHERE e.component = m.component_b AND t.component = m.component_a AND e.part = t.part AND e.item IS NOT DISTINCT FROM t.item;
SELECT refine, part || CASE WHEN part = 'probability' THEN CASE WHEN "true" > .002 THEN ' > .002' ELSE ' below' END ELSE '' END AS part, count(*) AS intervals,
  round(avg(("true" BETWEEN low AND high)::int), 3) AS cover, round((sqrt(avg(standard_error ^ 2)) / sqrt(avg((estimate - "true") ^ 2)))::numeric, 2) AS stated_over_real
FROM compared WHERE low IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2;
