-- What models are made ready for before their first row, and blocks of many states, dimensions and components.
CREATE FUNCTION repeated(x text, n int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '[' || repeat(x || ',', n - 1) || x || ']' $$;
CREATE FUNCTION triangle(d int) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '[' || string_agg(repeat('0,', i - 1) || '1', ',' ORDER BY i) || ']' FROM generate_series(1, d) i $$;
CREATE FUNCTION identity(d int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT '[' || string_agg('[' || repeat('0,', i - 1) || '1' || repeat(',0', d - i) || ']', ',' ORDER BY i) || ']' FROM generate_series(1, d) i $$;
CREATE FUNCTION zeros(d int) RETURNS float8[] LANGUAGE sql IMMUTABLE AS $$ SELECT array_fill(0::float8, ARRAY[d]) $$;
CREATE TABLE wide AS SELECT tlv_from_json(format('{"tensorlv":1,"kind":"gaussian_mixture","covariance":"full","steps":0,"seed":1,"weights":[1],"means":[%s],"covariances":[%s],"floor":%s,"rows":9}',
    repeated('0', 2000), identity(2000), repeated('1e-9', 2000))::json) AS gmm,
  tlv_from_json(format('{"tensorlv":1,"kind":"hmm","seed":1,"steps":1,"constraints":0,"initial":[1],"stationary":[1],"transitions":[[1]],"covariance":"full","means":[%s],"variances":[%s]}',
    repeated('0', 1500), triangle(1500))::json) AS hmm;
CREATE TABLE states AS SELECT tlv_simulate_hmm_model(3, 1500) AS hmm, (SELECT array_agg(1 + i % 3) FROM generate_series(1, 5000) i) AS s;
CREATE TABLE topics AS SELECT tlv_simulate_lda_model(100, 5000) AS lda;

-- phase: opening a mixture with a covariance of 2,000 dimensions
SELECT tlv_assign(gmm, zeros(2000)) FROM wide;

-- phase: opening a hidden Markov model with a covariance of 1,500 dimensions
SELECT tlv_log_likelihood(hmm, ARRAY[zeros(1500), zeros(1500)]) FROM wide;

-- phase: Viterbi of 1,500 states
SELECT cardinality(tlv_viterbi(hmm, s)) FROM states;

-- phase: posteriors of 1,500 states
SELECT cardinality(tlv_infer(hmm, s)) FROM states;

-- phase: likelihood of 1,500 states
SELECT tlv_log_likelihood(hmm, s) FROM states;

-- phase: Baum-Welch of 1,500 states, many short sequences
SELECT tlv_info(tlv_statistics(s[1:50], (SELECT hmm FROM states))) FROM states, generate_series(1, 100);

-- phase: matching 5,000 topics
SELECT count(*) FROM topics, tlv_match(lda, lda);

-- phase: the jackknife of two million estimates
SELECT tlv_kind(tlv_jackknife(gmm, ARRAY[gmm, gmm])) FROM wide;

-- phase: mixing matrices too large to compare
DO $$ BEGIN PERFORM tlv_amari(m, m) FROM (SELECT array_fill(1::float8, ARRAY[4000, 4000]) AS m) q; EXCEPTION WHEN program_limit_exceeded THEN NULL; END $$;
