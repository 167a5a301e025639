-- A fingerprint of the sharded tables as they are in this very database, by object ids: a mover takes it before the copy and
-- again inside the fence transaction. Any DDL on a table, partition, trigger, constraint, index or the publication changes it.

CREATE OR REPLACE FUNCTION shardwright.schema_identity() RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  members oid[];
  lines   text;
BEGIN
  SELECT array_agg(member.relid::oid) INTO members
  FROM shardwright.sharded_table t
  JOIN pg_class c ON c.relname = t.table_name
  JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = t.table_schema,
  LATERAL (
    SELECT c.oid AS relid WHERE c.relkind = 'r'
    UNION ALL SELECT tree.relid FROM pg_partition_tree(c.oid) tree WHERE c.relkind = 'p'
  ) member;

  SELECT string_agg(line, E'\n' ORDER BY line) INTO lines FROM (
    SELECT concat_ws('|', 'table', c.oid, c.relfilenode, c.relkind, c.relpersistence, c.relreplident, c.relrowsecurity,
                     c.relforcerowsecurity, c.relpartbound::text, c.relnamespace, c.relname) AS line
      FROM pg_class c WHERE c.oid = ANY (members)
    UNION ALL
    SELECT concat_ws('|', 'column', attrelid, attnum, attname, atttypid, atttypmod, attcollation, attnotnull, attisdropped,
                     attgenerated, attidentity)
      FROM pg_attribute WHERE attrelid = ANY (members) AND attnum > 0
    UNION ALL
    SELECT concat_ws('|', 'trigger', oid, tgrelid, tgname, tgenabled, tgtype, tgfoid)
      FROM pg_trigger WHERE tgrelid = ANY (members)
    UNION ALL
    SELECT concat_ws('|', 'constraint', oid, conrelid, convalidated, condeferrable)
      FROM pg_constraint WHERE conrelid = ANY (members)
    UNION ALL
    SELECT concat_ws('|', 'index', indexrelid, indrelid, indisunique, indisvalid, indisreplident)
      FROM pg_index WHERE indrelid = ANY (members)
    UNION ALL
    SELECT concat_ws('|', 'publication', r.prrelid, r.prqual IS NOT NULL, r.prattrs, p.pubinsert, p.pubupdate, p.pubdelete,
                     p.pubtruncate, p.pubviaroot)
      FROM pg_publication p JOIN pg_publication_rel r ON r.prpubid = p.oid WHERE p.pubname = 'shardwright'
  ) seen;
  RETURN md5(lines);
END $$;
COMMENT ON FUNCTION shardwright.schema_identity() IS
  'changes with every DDL on the sharded tables; comparable only inside this database';
