-- All memberships of every node in one array, in the order of the communities.
CREATE OR REPLACE FUNCTION pg_temp.membership_vectors(model tlv_model)
RETURNS TABLE (node bigint, node_name text, side text, memberships float8[]) LANGUAGE sql AS $$
  SELECT node, node_name, side, array_agg(membership ORDER BY community) FILTER (WHERE community IS NOT NULL)
  FROM tlv_memberships(model, 0) GROUP BY 1, 2, 3
$$;
