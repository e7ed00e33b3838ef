CREATE TABLE answers AS SELECT v AS x FROM tlv_simulate_tree(tlv_simulate_tree_model(5), 300);
CREATE TABLE sizes AS SELECT ARRAY[a, a + sin(i), a + cos(3 * i), 2 * a + sin(5 * i), a - cos(7 * i)] AS x FROM generate_series(1, 200) i, sin(i * i) a;
INSERT INTO queries VALUES ('SELECT x FROM answers'), ('SELECT x FROM sizes'), ('SELECT i % 9, i / 9, i % 2 FROM generate_series(1, 90) i'), ('SELECT ''a'', ''b''');
INSERT INTO moments SELECT tlv_category_moments(x) FROM answers UNION ALL SELECT tlv_category_moments(x, 3) FROM answers UNION ALL
  SELECT tlv_category_moments(x, 4, 2) FROM answers UNION ALL SELECT tlv_category_moments('{0,NULL,1}'::int[]) UNION ALL SELECT tlv_dense_moments(x, 2) FROM sizes;
INSERT INTO models SELECT tlv_tree('SELECT x FROM answers') UNION ALL SELECT tlv_tree('SELECT x FROM sizes') UNION ALL SELECT tlv_simulate_tree_model(5, 3) UNION ALL
  SELECT tlv_simulate_tree_model(5, kind => 'gaussian') UNION ALL SELECT tlv_fit_tree(tlv_category_moments(x, 4)) FROM answers;
-- too many states for tables of triples: a tree without parameters, and what gives it some
CREATE TABLE many AS SELECT v AS x FROM tlv_simulate_tree(tlv_simulate_tree_model(9, 3, observed_states => 30), 500);
INSERT INTO models SELECT tlv_fit_tree(tlv_category_moments(x)) FROM many;
INSERT INTO moments SELECT tlv_statistics(x, (SELECT tlv_fit_tree(tlv_category_moments(x)) FROM many)) FROM many UNION ALL
  SELECT tlv_statistics(x, (SELECT tlv_tree('SELECT x FROM answers'))) FROM answers;
