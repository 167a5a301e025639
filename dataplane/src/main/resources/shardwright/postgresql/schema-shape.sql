-- What two shards must have in common before a row may move between them, without any object id: one line per fact.
-- Parameters: schemas[], names[] of the sharded tables.
WITH wanted AS (
  SELECT w.position, format('%I.%I', w.table_schema, w.table_name) AS label, c.oid
  FROM unnest(?::text[], ?::text[]) WITH ORDINALITY AS w (table_schema, table_name, position)
  JOIN pg_namespace n ON n.nspname = w.table_schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name
),
attribute AS (
  SELECT w.position, w.label, a.*, row_number() OVER (PARTITION BY w.oid ORDER BY a.attnum) AS nth, t.typtype, t.typbasetype, t.typrelid,
    a.attnum = ANY (SELECT unnest(i.indkey::int2[]) FROM pg_index i WHERE i.indrelid = w.oid AND i.indisprimary) AS in_key
  FROM wanted w
  JOIN pg_attribute a ON a.attrelid = w.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type t ON t.oid = a.atttypid
)
SELECT line FROM (
  SELECT position, 1 AS rank, concat_ws(' ', label, 'column', nth, quote_ident(attname), format_type(atttypid, atttypmod),
    CASE WHEN attnotnull THEN 'not null' END,
    CASE attidentity WHEN 'a' THEN 'identity always' WHEN 'd' THEN 'identity' END,
    CASE WHEN attgenerated <> '' THEN 'generated ' || attgenerated::text || ' '
      || (SELECT pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef d WHERE d.adrelid = attrelid AND d.adnum = attnum) END,
    CASE typtype
      WHEN 'e' THEN (SELECT 'enum ' || string_agg(quote_literal(enumlabel), ',' ORDER BY enumsortorder)
                     FROM pg_enum WHERE enumtypid = atttypid)
      WHEN 'd' THEN 'domain of ' || format_type(typbasetype, NULL)
      WHEN 'c' THEN (SELECT 'composite ' || string_agg(quote_ident(f.attname) || ' ' || format_type(f.atttypid, f.atttypmod), ',' ORDER BY f.attnum)
                     FROM pg_attribute f WHERE f.attrelid = typrelid AND f.attnum > 0 AND NOT f.attisdropped) END,
    -- the order of keys must be the same where tables are read in ranges
    CASE WHEN in_key AND attcollation <> 0 THEN (
      SELECT 'collation ' || CASE WHEN c.collprovider = 'd'
        THEN (SELECT datlocprovider::text || ' ' || datcollate FROM pg_database WHERE datname = current_database())
        ELSE c.collprovider::text || ' ' || quote_ident(c.collname) END
      FROM pg_collation c WHERE c.oid = attcollation) END) AS line
  FROM attribute
  UNION ALL
  SELECT position, 2, label || ' constraint ' || pg_get_constraintdef(c.oid)
  FROM wanted w JOIN pg_constraint c ON c.conrelid = w.oid WHERE c.contype <> 'n' AND c.contype <> 't'
  UNION ALL
  SELECT position, 3, label || ' unique ' || regexp_replace(pg_get_indexdef(i.indexrelid), '^.*? (ON ONLY|ON) ', '')
  FROM wanted w JOIN pg_index i ON i.indrelid = w.oid WHERE i.indisunique
) fact
ORDER BY position, rank, line;
