INSERT INTO moments SELECT tlv_label_pairs(i, i % 3) FROM generate_series(1, 9) i UNION ALL
  SELECT tlv_cover_pairs(ARRAY[i % 3, i % 2], ARRAY[i % 4]) FROM generate_series(1, 12) i UNION ALL
  SELECT tlv_membership_pairs(ARRAY[i / 30., 1 - i / 30.], ARRAY[.3, .2, i / 60.]) FROM generate_series(1, 30) i UNION ALL
  SELECT tlv_membership_pairs(ARRAY[i % 7, i % 5, 1], ARRAY[i % 5, i % 7]) FROM generate_series(1, 30) i;
