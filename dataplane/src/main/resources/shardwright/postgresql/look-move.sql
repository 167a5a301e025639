-- What stands against moving buckets out of or into this database, beside the rules for tables. One row per problem.
-- Run as the mover. Parameters: the slot that this move will have here, for the way there or for the way back; buckets per
-- switch; asynchronous standbys are accepted; move id and scopes[] whose rows of other moves must have been cleaned; schemas[],
-- names[].
WITH
given AS (
  SELECT ?::text AS slot, ?::int AS switch_group, ?::boolean AS accept_async, ?::uuid AS move_id, ?::text[] AS scopes
),
wanted AS (
  SELECT format('%I.%I', w.table_schema, w.table_name) AS label, c.oid, c.relkind
  FROM unnest(?::text[], ?::text[]) AS w (table_schema, table_name)
  JOIN pg_namespace n ON n.nspname = w.table_schema
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = w.table_name
),
member AS (
  SELECT oid AS relid FROM wanted WHERE relkind = 'r'
  UNION ALL SELECT tree.relid FROM wanted, pg_partition_tree(wanted.oid) tree WHERE relkind = 'p'
),
-- standbys that could be promoted: walsenders without a logical slot
standby AS (
  SELECT r.application_name, r.sync_state FROM pg_stat_replication r
  WHERE NOT EXISTS (SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')
),
problem AS (
  SELECT 10 AS rank, 'PRIVILEGES' AS kind, format('%I may not %s table %s: install the fence again', current_user, privilege, label) AS message
  FROM wanted, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
  WHERE NOT has_table_privilege(oid, privilege)
  UNION ALL
  SELECT 11, 'PRIVILEGES', format('%I may not set sequence %s: install the fence again', current_user, s.oid::regclass)
  FROM member m JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = m.relid AND d.classid = 'pg_class'::regclass
  JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
  WHERE CASE WHEN s.relkind = 'S' THEN NOT has_sequence_privilege(s.oid, 'UPDATE') END
  UNION ALL
  SELECT 12, 'PRIVILEGES', format('%I may not replicate: ALTER ROLE %1$I REPLICATION', rolname)
  FROM pg_roles WHERE rolname = current_user AND NOT rolreplication AND NOT rolsuper
  UNION ALL
  SELECT 19, 'SETTINGS', 'wal_level is ' || current_setting('wal_level') || ': set wal_level = logical and restart the server'
  WHERE current_setting('wal_level') <> 'logical'
  UNION ALL
  SELECT 20, 'SETTINGS', 'no replication slot is free: raise max_replication_slots or drop unused slots'
  FROM given WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = given.slot)
    AND (SELECT count(*) FROM pg_replication_slots) >= current_setting('max_replication_slots')::int
  UNION ALL
  SELECT 21, 'SETTINGS', 'no walsender is free: raise max_wal_senders'
  FROM given WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = given.slot AND active)
    AND (SELECT count(*) FROM pg_stat_replication) >= current_setting('max_wal_senders')::int
  UNION ALL
  SELECT 22, 'SETTINGS', format('a switch needs about %s locks, max_locks_per_transaction gives %s to all sessions: raise it', needed, pool)
  FROM (
    SELECT switch_group + (SELECT count(*) FROM member) + (SELECT count(*) FROM pg_index i JOIN member m ON m.relid = i.indrelid) AS needed,
      current_setting('max_locks_per_transaction')::bigint
        * (current_setting('max_connections')::int + current_setting('max_prepared_transactions')::int) AS pool
    FROM given) l
  WHERE needed * 4 > pool
  UNION ALL
  SELECT 30, 'SETTINGS', 'a failover to an asynchronous standby could lose the commit that fences a bucket: '
    || 'set synchronous_standby_names, or accept it with asyncStandby: Accept in the ShardPolicy'
  FROM given WHERE NOT accept_async AND EXISTS (SELECT FROM standby) AND current_setting('synchronous_standby_names') = ''
  UNION ALL
  SELECT 31, 'SETTINGS', 'synchronous_standby_names is ' || current_setting('synchronous_standby_names')
    || ' but no such standby is connected, so no commit would return: start it'
  WHERE current_setting('synchronous_standby_names') <> ''
    AND NOT EXISTS (SELECT FROM standby WHERE sync_state IN ('sync', 'quorum'))
  UNION ALL
  SELECT 32, 'SETTINGS', 'synchronous_standby_names is ' || current_setting('synchronous_standby_names')
    || ' and its * means every stream, also that of a move, which is no copy of this server: commits would wait for it, or return'
    || ' before any standby has them; name the standbys instead'
  WHERE EXISTS (
    SELECT FROM regexp_matches(current_setting('synchronous_standby_names'), '("([^"]|"")*"|[*])', 'g') entry
    WHERE entry[1] IN ('*', '"*"'))
  UNION ALL
  SELECT 40, 'SCHEMA_UNSUPPORTED', format('move %s has not cleaned up its rows of %s yet: let it finish first; if its BucketMove'
    || ' is gone, see docs/runbooks/ShardwrightLeftovers.md', c.move_id,
    string_agg(CASE WHEN starts_with(c.name, 'k:') -- it may be one that nobody should read
      THEN 'key sha256:' || encode(sha256(convert_to(substr(c.name, 3), 'UTF8')), 'hex') ELSE c.name END, ', ' ORDER BY c.name))
  FROM shardwright.cleanup_record c, given
  WHERE c.kind = 'rows' AND c.move_id <> given.move_id AND c.name = ANY (given.scopes)
  GROUP BY c.move_id
)
SELECT kind, message FROM problem ORDER BY rank, message;
