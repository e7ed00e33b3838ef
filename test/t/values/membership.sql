CREATE TABLE survey AS SELECT id, v AS x FROM tlv_simulate_lca(tlv_simulate_lca_model(5, 2, 3), 300);
CREATE TABLE mixed AS SELECT id, v AS x FROM tlv_simulate_gom(tlv_simulate_gom_model(6, 2, 3), 200);
INSERT INTO queries VALUES ('SELECT x FROM survey'), ('SELECT id, ''q'' || j, x[j]::text FROM survey, generate_series(1, 5) j'), ('SELECT x FROM mixed');
INSERT INTO models SELECT tlv_lca('SELECT x FROM survey', 2) UNION ALL SELECT tlv_gom('SELECT x FROM mixed', 2) UNION ALL
  SELECT tlv_lca('SELECT id, ''q'' || j, x[j]::text FROM survey, generate_series(1, 5) j', 2) UNION ALL SELECT tlv_simulate_gom_model(4, 2);
INSERT INTO models SELECT tlv_lca('SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[4] + 0.5 AS d, x[5]::float8 AS e FROM survey', 2, layout => 'wide');
INSERT INTO moments SELECT tlv_category_moments(x) FROM mixed UNION ALL SELECT tlv_statistics(x, (SELECT tlv_lca('SELECT x FROM survey', 2))) FROM survey UNION ALL
  SELECT tlv_statistics(x, (SELECT tlv_gom('SELECT x FROM mixed', 2))) FROM mixed UNION ALL SELECT tlv_row_sample(x, 50, 1) FROM survey UNION ALL
  SELECT tlv_statistics(ROW(x[1], x[2], x[3], x[4] + 0.5, x[5]),
    (SELECT tlv_lca('SELECT x[1] AS a, x[2] AS b, x[3] AS c, x[4] + 0.5 AS d, x[5]::float8 AS e FROM survey', 2, layout => 'wide'))) FROM survey;
INSERT INTO models SELECT tlv_lca('SELECT x FROM survey', 2, errors => true) UNION ALL SELECT tlv_gom('SELECT x FROM mixed', 2, errors => true);
INSERT INTO moments SELECT tlv_error_statistics(x, (SELECT tlv_lca('SELECT x FROM survey', 2))) FROM survey;
