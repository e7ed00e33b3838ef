CREATE TABLE cells AS SELECT i, j, l, round(5 * cos(i) * sin(2 * j) * cos(l) + 4 * sin(i) * cos(3 * j) * sin(2 * l)) AS entry
  FROM generate_series(1, 6) i, generate_series(1, 5) j, generate_series(1, 4) l;
INSERT INTO moments SELECT tlv_tensor_agg(i, j, l, entry) FROM cells UNION ALL SELECT tlv_tensor_agg('i' || i, j, 'l' || l, entry + .5) FROM cells;
INSERT INTO models SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, entry), 2) FROM cells UNION ALL
  SELECT tlv_fit_cp(tlv_tensor_agg('i' || i, j, 'l' || l, entry), 2, nonnegative => true) FROM cells UNION ALL
  SELECT tlv_fit_tucker(tlv_tensor_agg('i' || i, j, l, entry), '{2,2,2}') FROM cells UNION ALL
  SELECT tlv_fit_tensor_train(tlv_tensor_agg(i, j, 'l' || l, entry), '{2,2}') FROM cells;
