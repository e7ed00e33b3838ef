-- Kinds of members of the House of Representatives by 16 votes of 1984 as a
-- page to explore in a browser, written to the file :page.  To be run by
-- psql -X -At -v page=votes.html from the root of the repository, in a
-- database with the extension; leaves nothing else behind.
\set QUIET on
SET client_min_messages = warning;

CREATE TEMP TABLE members (id int PRIMARY KEY, party text, v1 text, v2 text,
    v3 text, v4 text, v5 text, v6 text, v7 text, v8 text, v9 text, v10 text,
    v11 text, v12 text, v13 text, v14 text, v15 text, v16 text);
\copy members FROM PROGRAM 'gzip -dc examples/house-votes/votes.csv.gz' WITH (FORMAT csv, HEADER)

CREATE TEMP TABLE answers AS
SELECT id AS member, question, CASE answer WHEN 'y' THEN 'yes' ELSE 'no' END AS answer
FROM members, LATERAL (VALUES
    ('infants', v1), ('water', v2), ('budget', v3), ('physicians', v4),
    ('el salvador', v5), ('religion', v6), ('satellites', v7), ('contras', v8),
    ('missile', v9), ('immigration', v10), ('synfuels', v11), ('education', v12),
    ('superfund', v13), ('crime', v14), ('exports', v15), ('south africa', v16))
    AS q(question, answer)
WHERE answer IN ('y', 'n');

CREATE TEMP TABLE kinds AS
SELECT tlv_lca('SELECT member, question, answer FROM answers', criterion => 'bic',
               errors => true) AS model;

\pset format unaligned
\pset tuples_only on
\o :page
SELECT tlv_html(model, 'Votes of the House of Representatives, 1984', (
    SELECT json_agg(json_build_object('component', kind, 'id', member, 'title', party,
                                      'share', share) ORDER BY kind, place)
    FROM (SELECT kind, member, party, share,
                 row_number() OVER (PARTITION BY kind ORDER BY share DESC, member) AS place
          FROM (SELECT member, array_agg(question) AS questions,
                       array_agg(answer) AS votes FROM answers GROUP BY member) a
               JOIN members ON id = member,
               unnest(tlv_infer(model, ROW(questions, votes)))
                   WITH ORDINALITY u(share, kind)) q
    WHERE place <= 5))
FROM kinds;
\o
