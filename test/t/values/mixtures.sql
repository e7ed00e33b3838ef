CREATE TABLE points AS SELECT x FROM tlv_simulate_gmm(tlv_simulate_gmm_model(3, 2, 6), 60);
INSERT INTO queries VALUES ('SELECT x FROM points'), ('SELECT x[1], x[2], x[3] FROM points');
INSERT INTO moments SELECT tlv_dense_moments(x, 2) FROM points UNION ALL SELECT tlv_dense_moments(x, 3) FROM points UNION ALL
  SELECT tlv_dense_moments(x, 4) FROM points UNION ALL SELECT tlv_row_sample(x, 10, 1) FROM points UNION ALL SELECT tlv_dense_moments(ARRAY[1e150, -1e150], 2) FROM points;
INSERT INTO subspaces SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 2) FROM points;
INSERT INTO moments SELECT tlv_dense_moments(x, s.v, o) FROM points, (SELECT tlv_find_subspace(tlv_dense_moments(x, 2), 2) AS v FROM points) s, generate_series(2, 4) o GROUP BY o;
INSERT INTO models SELECT tlv_gmm('SELECT x FROM points', 2, c) FROM unnest('{common,spherical,diagonal,full,direction}'::text[]) c UNION ALL
  SELECT tlv_simulate_gmm_model(3, 2, covariance => 'full');
INSERT INTO models SELECT tlv_gmm('SELECT x FROM points', 2, c, 't') FROM unnest('{common,full}'::text[]) c;
INSERT INTO moments SELECT tlv_statistics(x, m) FROM points, (SELECT tlv_gmm('SELECT x FROM points', 2, tails => 't') AS m) f GROUP BY m;
INSERT INTO moments SELECT tlv_statistics(x, m) FROM points, (SELECT tlv_gmm('SELECT x FROM points', 2, c) AS m FROM unnest('{common,full,direction}'::text[]) c) f GROUP BY m;
INSERT INTO models SELECT tlv_gmm('SELECT x FROM points', 2, c, errors => true) FROM unnest('{common,full}'::text[]) c;
INSERT INTO moments SELECT tlv_error_statistics(x, m) FROM points, (SELECT tlv_gmm('SELECT x FROM points', 2, c) AS m FROM unnest('{common,full}'::text[]) c) f GROUP BY m;
