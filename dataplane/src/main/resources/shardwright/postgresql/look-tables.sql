-- What stands against sharding these tables. Reads catalogs only. One row per problem: kind, message; the most basic first.
-- Parameters: key type, operator login; schemas[], names[], shard keys[] of the sharded tables; schemas[], names[] of the
-- reference tables.
WITH
given AS (
  SELECT ?::text AS key_type, ?::text AS operator
),
wanted AS (
  SELECT w.position, w.shard_key, format('%I.%I', w.table_schema, w.table_name) AS label, c.oid, c.relkind, c.relispartition
  FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS w (table_schema, table_name, shard_key, position)
  LEFT JOIN pg_namespace n ON n.nspname = w.table_schema
  LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name
),
reference AS (
  SELECT r.position, format('%I.%I', r.table_schema, r.table_name) AS label, c.oid, c.relkind
  FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS r (table_schema, table_name, position)
  LEFT JOIN pg_namespace n ON n.nspname = r.table_schema
  LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = r.table_name
),
keyed AS (
  SELECT w.*, a.attnum, a.atttypid, a.attgenerated, a.attcollation
  FROM wanted w
  LEFT JOIN pg_attribute a ON a.attrelid = w.oid AND a.attname = w.shard_key AND a.attnum > 0 AND NOT a.attisdropped
  WHERE w.relkind IN ('r', 'p')
),
-- a table and, when it is partitioned, all its partitions
member AS (
  SELECT k.position, k.oid AS root, k.label AS root_label, c.*, format('%I.%I', n.nspname, c.relname) AS label
  FROM keyed k,
  LATERAL (
    SELECT k.oid AS relid WHERE k.relkind = 'r'
    UNION ALL SELECT tree.relid FROM pg_partition_tree(k.oid) tree WHERE k.relkind = 'p'
  ) part
  JOIN pg_class c ON c.oid = part.relid
  JOIN pg_namespace n ON n.oid = c.relnamespace
),
problem AS (
  SELECT 10 AS rank, position, 'TABLE_MISSING' AS kind,
    'table ' || label || ' is missing: create it as on the other shards, or correct spec.sharding.tables' AS message
  FROM wanted WHERE oid IS NULL
  UNION ALL
  SELECT 11, position, 'TABLE_MISSING',
    'reference table ' || label || ' is missing: create and fill it, or correct spec.sharding.referenceTables'
  FROM reference WHERE oid IS NULL
  UNION ALL
  SELECT 12, position, 'SCHEMA_UNSUPPORTED', label || ' is no table: only ordinary and partitioned tables can be sharded'
  FROM wanted WHERE relkind NOT IN ('r', 'p')
  UNION ALL
  SELECT 13, position, 'SCHEMA_UNSUPPORTED', label || ' is a partition: name the partitioned table instead'
  FROM wanted WHERE relispartition

  -- the shard key
  UNION ALL
  SELECT 20, position, 'SHARD_KEY', label || ' has no column ' || quote_ident(shard_key) || ': correct spec.sharding.tables'
  FROM keyed WHERE attnum IS NULL
  UNION ALL
  SELECT 21, position, 'SHARD_KEY',
    format('shard key %s.%I has type %s, keyType %s needs %s', label, shard_key, format_type(atttypid, NULL), key_type,
      CASE key_type WHEN 'Int64' THEN 'smallint, integer or bigint' WHEN 'UUID' THEN 'uuid' ELSE 'text or varchar' END)
  FROM keyed, given
  WHERE atttypid::regtype <> ALL (CASE key_type
    WHEN 'Int64' THEN ARRAY['int2', 'int4', 'int8'] WHEN 'UUID' THEN ARRAY['uuid'] ELSE ARRAY['text', 'varchar'] END::regtype[])
  UNION ALL
  SELECT 22, position, 'SHARD_KEY',
    format('shard key %s.%I is a generated column, which has no value yet when the fence looks: use a plain column', label, shard_key)
  FROM keyed WHERE attgenerated <> ''
  UNION ALL
  SELECT 23, position, 'SHARD_KEY',
    format('shard key %s.%I has a nondeterministic collation, so equal keys could be in two buckets', label, shard_key)
  FROM keyed JOIN pg_collation c ON c.oid = attcollation WHERE NOT c.collisdeterministic
  UNION ALL
  SELECT 24, position, 'SHARD_KEY',
    format('table %s has no primary key: add one that contains %I', label, shard_key)
  FROM keyed k WHERE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = k.oid AND i.indisprimary)
  UNION ALL
  SELECT 25, position, 'SHARD_KEY',
    format('%s of table %s does not contain the shard key %I, so it cannot be unique over shards: add the column to it',
      CASE WHEN i.indisprimary THEN 'the primary key' ELSE 'unique index ' || i.indexrelid::regclass END, label, shard_key)
  FROM keyed k JOIN pg_index i ON i.indrelid = k.oid
  WHERE k.attnum IS NOT NULL AND (i.indisunique OR i.indisexclusion)
    AND k.attnum <> ALL ((i.indkey::int2[])[0:i.indnkeyatts - 1])

  -- constraints
  UNION ALL
  SELECT 30, position, 'SCHEMA_UNSUPPORTED',
    format('constraint %I of table %s is DEFERRABLE: a mover applies rows in another order than the application', conname, label)
  FROM keyed k JOIN pg_constraint c ON c.conrelid = k.oid WHERE c.condeferrable
  UNION ALL
  SELECT 31, k.position, 'SCHEMA_UNSUPPORTED',
    format('foreign key %I of table %s points to %s, which is neither sharded nor a reference table', c.conname, k.label,
      c.confrelid::regclass)
  FROM keyed k JOIN pg_constraint c ON c.conrelid = k.oid AND c.contype = 'f' AND c.conparentid = 0
  WHERE c.confrelid NOT IN (SELECT oid FROM member UNION ALL SELECT oid FROM reference WHERE oid IS NOT NULL)
  UNION ALL
  SELECT 32, k.position, 'SCHEMA_UNSUPPORTED',
    format('foreign key %I of %s points to sharded table %s: only sharded tables may', c.conname, c.conrelid::regclass, k.label)
  FROM keyed k JOIN pg_constraint c ON c.confrelid = k.oid AND c.contype = 'f' AND c.conparentid = 0
  WHERE c.conrelid NOT IN (SELECT oid FROM member)
  UNION ALL
  SELECT 33, k.position, 'SCHEMA_UNSUPPORTED',
    format('foreign key %I of table %s does not map the shard key to that of %s: a cascade could reach another bucket',
      c.conname, k.label, p.label)
  FROM keyed k JOIN pg_constraint c ON c.conrelid = k.oid AND c.contype = 'f' AND c.conparentid = 0
  JOIN keyed p ON p.oid = c.confrelid
  WHERE NOT EXISTS (
    SELECT FROM unnest(c.conkey, c.confkey) AS pair (child, parent) WHERE pair.child = k.attnum AND pair.parent = p.attnum)

  -- tables and partitions
  UNION ALL
  SELECT 40, position, 'SCHEMA_UNSUPPORTED', label || ' is a foreign table: its rows are not in this database''s log'
  FROM member WHERE relkind = 'f'
  UNION ALL
  SELECT 41, position, 'SCHEMA_UNSUPPORTED', 'table ' || label || ' is UNLOGGED: ALTER TABLE .. SET LOGGED, or it cannot be moved'
  FROM member WHERE relkind = 'r' AND relpersistence <> 'p'
  UNION ALL
  SELECT 42, m.position, 'SCHEMA_UNSUPPORTED', 'table ' || m.label || ' takes part in inheritance: use declarative partitioning'
  FROM member m
  WHERE EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE NOT c.relispartition AND (i.inhrelid = m.oid OR i.inhparent = m.oid))
  UNION ALL
  SELECT 43, position, 'SCHEMA_UNSUPPORTED',
    'table ' || label || ' has row level security, which hides rows from a mover: ALTER TABLE .. DISABLE ROW LEVEL SECURITY'
  FROM member WHERE relrowsecurity OR relforcerowsecurity
  UNION ALL
  SELECT 44, m.position, 'SCHEMA_UNSUPPORTED', format('table %s has rule %I, which runs before any trigger: drop it', m.label, r.rulename)
  FROM member m JOIN pg_rewrite r ON r.ev_class = m.oid
  UNION ALL
  SELECT 45, position, 'SCHEMA_UNSUPPORTED',
    'table ' || label || ' has a replica identity other than its primary key: ALTER TABLE .. REPLICA IDENTITY DEFAULT'
  FROM member WHERE relkind = 'r' AND relreplident <> 'd'
  UNION ALL
  SELECT 46, m.position, 'SCHEMA_UNSUPPORTED',
    format('trigger %I of table %s is ENABLE %s, so it would fire again for rows that a mover applies: ENABLE it plainly', t.tgname,
      m.label, CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' ELSE 'REPLICA' END)
  FROM member m JOIN pg_trigger t ON t.tgrelid = m.oid
  WHERE t.tgenabled IN ('A', 'R') AND NOT t.tgisinternal AND t.tgname NOT LIKE 'zz\_shardwright\_%'
  UNION ALL
  SELECT 47, m.position, 'SCHEMA_UNSUPPORTED',
    format('BEFORE trigger %I of table %s runs after the fence and could change the key: rename it', t.tgname, m.label)
  FROM member m JOIN pg_trigger t ON t.tgrelid = m.oid
  WHERE NOT t.tgisinternal AND t.tgtype & 3 = 3 AND t.tgname > 'zz_shardwright_fence'::name
  UNION ALL
  SELECT 48, m.position, 'SCHEMA_UNSUPPORTED',
    'table ' || m.label || ' is fed by a subscription, which bypasses the fence: drop the subscription'
  FROM member m WHERE EXISTS (SELECT FROM pg_subscription_rel s WHERE s.srrelid = m.oid)
  UNION ALL
  SELECT 49, m.position, 'SCHEMA_UNSUPPORTED',
    format('publication %I filters table %s by a column outside of its primary key, so updates and deletes fail: drop the filter',
      p.pubname, m.label)
  FROM member m JOIN pg_publication_rel r ON r.prrelid = m.oid AND r.prqual IS NOT NULL JOIN pg_publication p ON p.oid = r.prpubid
  WHERE EXISTS (SELECT FROM pg_depend d
    WHERE d.classid = 'pg_publication_rel'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
      AND d.refobjid = m.oid AND d.refobjsubid > 0
      AND d.refobjsubid <> ALL (SELECT unnest(i.indkey::int2[]) FROM pg_index i WHERE i.indrelid = m.oid AND i.indisprimary))
  UNION ALL
  SELECT 50, m.position, 'PRIVILEGES',
    CASE WHEN o.rolsuper THEN format('table %s is owned by superuser %I: ALTER TABLE .. OWNER TO a role without that power', m.label, o.rolname)
      ELSE format('%I is no member of %I, the owner of table %s: GRANT %2$I TO %1$I', operator, o.rolname, m.label) END
  FROM member m JOIN pg_roles o ON o.oid = m.relowner, given
  WHERE o.rolsuper OR NOT pg_has_role(operator, o.oid, 'USAGE')
)
SELECT kind, message FROM problem ORDER BY rank, position, message;
