-- What accessors say of a component, in arrays: as many rows as components.
CREATE OR REPLACE FUNCTION pg_temp.means(model tlv_model) RETURNS TABLE (view integer, component integer, mean float8[], variances float8[], variance float8) LANGUAGE sql AS $$
  SELECT view, component, array_agg(mean ORDER BY dimension), array_agg(variance ORDER BY dimension) FILTER (WHERE variance IS NOT NULL), sum(variance / n)
  FROM (SELECT *, count(*) OVER (PARTITION BY view, component) AS n FROM tlv_means($1)) q GROUP BY 1, 2 ORDER BY 1, 2
$$;
-- Variances by coordinate of diagonal covariances, matrices of full ones, else null.
CREATE OR REPLACE FUNCTION pg_temp.mixture(model tlv_model)
RETURNS TABLE (component integer, weight float8, mean float8[], variance float8, covariance float8[], degrees float8, kappa float8) LANGUAGE sql AS $$
  SELECT component, weight, m.mean, m.variance, CASE tlv_info($1)->>'covariance' WHEN 'diagonal' THEN m.variances WHEN 'full' THEN v.matrix END,
         (SELECT score FROM tlv_diagnostics($1) d WHERE d.measure = 'degrees_of_freedom' AND d.component = c.component),
         (SELECT score FROM tlv_diagnostics($1) d WHERE d.measure = 'concentration' AND d.component = c.component)
  FROM tlv_components($1) c JOIN pg_temp.means($1) m USING (component) JOIN (
    SELECT component, array_agg(r ORDER BY a) AS matrix FROM (SELECT component, dimension_a AS a, array_agg(covariance ORDER BY dimension_b) AS r
      FROM tlv_covariances($1) WHERE tlv_info($1)->>'covariance' = 'full' OR dimension_a = 1 GROUP BY 1, 2) q GROUP BY 1) v USING (component) ORDER BY component
$$;
-- Of three views; of categories their probabilities.
CREATE OR REPLACE FUNCTION pg_temp.views(model tlv_model) RETURNS TABLE (view integer, component integer, weight float8, mean float8[], variance float8[]) LANGUAGE plpgsql AS $$
BEGIN
  IF tlv_info(model)->'arrays' ? 'items1' THEN
    RETURN QUERY SELECT p.variable::integer, p.component, c.weight, array_agg(p.probability ORDER BY p.category), NULL::float8[]
      FROM tlv_categories(model) p JOIN tlv_components(model) c USING (component) GROUP BY 1, 2, 3 ORDER BY 1, 2;
  ELSE
    RETURN QUERY SELECT m.view, m.component, c.weight, m.mean, m.variances FROM pg_temp.means(model) m JOIN tlv_components(model) c USING (component) ORDER BY 1, 2;
  END IF;
END $$;
-- How far apart the states that tlv_match brings together go.
CREATE OR REPLACE FUNCTION pg_temp.match_transitions(a tlv_model, b tlv_model) RETURNS TABLE (component_a integer, component_b integer, distance float8) LANGUAGE sql AS $$
  SELECT f.component_a, f.component_b, CASE WHEN f.component_b IS NOT NULL THEN sum(abs(s.probability - coalesce(r.probability, 0))) END
  FROM tlv_match($1, $2) f JOIN tlv_transitions($1) s ON s.from_state = f.component_a JOIN tlv_match($1, $2) t ON t.component_a = s.to_state
    LEFT JOIN tlv_transitions($2) r ON r.from_state = f.component_b AND r.to_state = t.component_b GROUP BY 1, 2 ORDER BY 1
$$;
-- States of vectors: the mean of all their variances.
CREATE OR REPLACE FUNCTION pg_temp.state_means(model tlv_model) RETURNS TABLE (state integer, mean float8[], variance float8) LANGUAGE sql AS $$
  SELECT component, mean, variance FROM pg_temp.means($1)
$$;
