CREATE TABLE sequences AS SELECT array_agg(symbol ORDER BY t) AS s, array_agg(ARRAY[symbol + t % 3, sin(t * 7 + seq)] ORDER BY t) AS x
  FROM tlv_simulate_hmm(tlv_simulate_hmm_model(symbols => 4, k => 2), 8, 20) GROUP BY seq;
INSERT INTO queries VALUES ('SELECT s FROM sequences'), ('SELECT x FROM sequences'), ('SELECT s::text[] FROM sequences');
INSERT INTO models SELECT tlv_hmm('SELECT s FROM sequences', 2) UNION ALL SELECT tlv_hmm('SELECT x FROM sequences', 2) UNION ALL
  SELECT tlv_hmm('SELECT s::text[] FROM sequences', 2) UNION ALL SELECT tlv_simulate_hmm_model(symbols => 4, k => 2) UNION ALL SELECT tlv_simulate_hmm_model(dimensions => 2, k => 2);
INSERT INTO moments SELECT tlv_sequence_moments(s) FROM sequences UNION ALL SELECT tlv_sequence_moments(s::text[]) FROM sequences UNION ALL SELECT tlv_sequence_moments(x) FROM sequences UNION ALL
  SELECT tlv_statistics(s, (SELECT tlv_hmm('SELECT s FROM sequences', 2))) FROM sequences UNION ALL
  SELECT tlv_statistics(x, (SELECT tlv_hmm('SELECT x FROM sequences', 2))) FROM sequences UNION ALL
  SELECT tlv_sequence_sample(s, 5, 1) FROM sequences UNION ALL SELECT tlv_sequence_sample(x, 5, 1) FROM sequences;
INSERT INTO models SELECT tlv_hmm('SELECT s FROM sequences', 2, errors => true) UNION ALL SELECT tlv_hmm('SELECT x FROM sequences', 2, errors => true);
INSERT INTO moments SELECT tlv_error_statistics(s, (SELECT tlv_hmm('SELECT s FROM sequences', 2))) FROM sequences;
