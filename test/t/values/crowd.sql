CREATE TABLE labelled AS SELECT item, worker, answer FROM tlv_simulate_crowd(60, 8, 3, share => .6);
INSERT INTO queries VALUES ('SELECT item, worker, answer FROM labelled');
INSERT INTO models SELECT tlv_crowd('SELECT item, worker, answer FROM labelled') UNION ALL
  SELECT tlv_crowd('SELECT ''i'' || item, ''w'' || worker, ''a'' || answer FROM labelled', gold => 'SELECT ''i1'', ''a1''');
INSERT INTO moments SELECT tlv_crowd_answers(item, worker, answer) FROM labelled UNION ALL SELECT tlv_crowd_answers(item, answer) FROM labelled WHERE item < 4;
