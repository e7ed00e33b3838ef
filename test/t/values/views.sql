CREATE TABLE views AS SELECT x1 AS v1, x2 AS v2, x3 AS v3 FROM tlv_simulate_multiview(tlv_simulate_multiview_model('{2,3,2}', 2), 60);
CREATE TABLE labels AS SELECT i % 2 AS a, (i + i % 3 / 2) % 2 AS b, (i + i % 5 / 4) % 2 AS c FROM generate_series(1, 60) i;
INSERT INTO queries VALUES ('SELECT v1, v2, v3 FROM views'), ('SELECT a, b, c FROM labels');
INSERT INTO moments SELECT tlv_view_moments(v1, v2, v3) FROM views UNION ALL SELECT tlv_view_moments(a, b, c) FROM labels;
INSERT INTO models SELECT tlv_multiview('SELECT v1, v2, v3 FROM views', 2) UNION ALL SELECT tlv_multiview('SELECT a, b, c FROM labels', 2) UNION ALL
  SELECT tlv_simulate_multiview_model('{2,3,2}', 2) UNION ALL SELECT tlv_simulate_multiview_model(categories => '{2,3,2}', k => 2);
INSERT INTO moments SELECT tlv_statistics(v1, v2, v3, (SELECT tlv_multiview('SELECT v1, v2, v3 FROM views', 2))) FROM views UNION ALL
  SELECT tlv_statistics(a, b, c, (SELECT tlv_multiview('SELECT a, b, c FROM labels', 2))) FROM labels;
CREATE TABLE named_labels AS SELECT 'a' || i % 2 AS a, (ARRAY['x', '', 'y'])[1 + i % 2 * (1 + i % 3 / 2)] AS b, i % 2 + i % 5 / 4 AS c FROM generate_series(1, 60) i;
INSERT INTO queries VALUES ('SELECT a, b, c FROM named_labels');
INSERT INTO moments SELECT tlv_view_moments(a, b, c) FROM named_labels UNION ALL SELECT tlv_category_moments(ARRAY[a, b, c::text]) FROM named_labels;
INSERT INTO models SELECT tlv_multiview('SELECT a, b, c FROM named_labels', 2) UNION ALL SELECT tlv_fit_tree(tlv_category_moments(ARRAY[a, b, c::text])) FROM named_labels;
INSERT INTO moments SELECT tlv_statistics(a, b, c, (SELECT tlv_multiview('SELECT a, b, c FROM named_labels', 2))) FROM named_labels;
INSERT INTO models SELECT tlv_multiview('SELECT v1, v2, v3 FROM views', 2, 'em', errors => true) UNION ALL SELECT tlv_multiview('SELECT a, b, c FROM named_labels', 2, errors => true);
INSERT INTO moments SELECT tlv_error_statistics(v1, v2, v3, (SELECT tlv_multiview('SELECT v1, v2, v3 FROM views', 2))) FROM views;
