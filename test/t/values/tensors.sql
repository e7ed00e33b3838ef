CREATE TABLE cells AS SELECT i, j, l, round(entry) AS entry FROM tlv_simulate_tensor(ARRAY[6, 5, 4], 2, noise => .1);
INSERT INTO moments SELECT tlv_tensor_agg(i, j, l, entry) FROM cells UNION ALL SELECT tlv_tensor_agg('i' || i, j, 'l' || l, entry + .5) FROM cells;
INSERT INTO models SELECT tlv_fit_cp(tlv_tensor_agg(i, j, l, entry), 2) FROM cells UNION ALL
  SELECT tlv_fit_cp(tlv_tensor_agg('i' || i, j, 'l' || l, entry), 2, nonnegative => true) FROM cells UNION ALL
  SELECT tlv_fit_tucker(tlv_tensor_agg('i' || i, j, l, entry), '{2,2,2}') FROM cells UNION ALL
  SELECT tlv_fit_tensor_train(tlv_tensor_agg(i, j, 'l' || l, entry), '{2,2}') FROM cells;
