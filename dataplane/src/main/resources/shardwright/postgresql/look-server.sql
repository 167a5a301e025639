-- What stands against using this server and these logins. Reads settings and catalogs only; one row per problem.
-- Parameters: operator login, mover login.
WITH
given AS (
  SELECT ?::text AS operator, ?::text AS mover
),
role AS (
  SELECT operator, mover, o.oid AS operator_oid, o.rolsuper AS operator_super, m.oid AS mover_oid, m.rolsuper AS mover_super,
    m.rolreplication AS mover_replication, w.oid AS owner_oid
  FROM given
  LEFT JOIN pg_roles o ON o.rolname = operator
  LEFT JOIN pg_roles m ON m.rolname = mover
  LEFT JOIN pg_roles w ON w.rolname = 'shardwright_owner'
),
problem AS (
  SELECT 10 AS rank, 'SETTINGS' AS kind,
    'the database has encoding ' || pg_encoding_to_char(encoding) || ', keys are hashed as UTF-8: use a UTF8 database' AS message
  FROM pg_database WHERE datname = current_database() AND pg_encoding_to_char(encoding) <> 'UTF8'
  UNION ALL
  SELECT 11, 'SETTINGS', 'wal_level is ' || setting || ': set wal_level = logical and restart the server'
  FROM pg_settings WHERE name = 'wal_level' AND setting <> 'logical'
  UNION ALL
  SELECT 12, 'SETTINGS', name || ' is 0: set it to at least 4 and restart the server'
  FROM pg_settings WHERE name IN ('max_replication_slots', 'max_wal_senders') AND setting = '0'
  UNION ALL
  SELECT 20, 'PRIVILEGES', 'role ' || r || ' does not exist: run manifests/databases/postgresql.sql in this database'
  FROM unnest(ARRAY['shardwright_owner', 'shardwright_app', 'shardwright_mover']) r
  WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r)
  UNION ALL
  SELECT 21, 'PRIVILEGES', format('role %I does not exist: run manifests/databases/postgresql.sql, or correct the mover''s Secret', mover)
  FROM role WHERE mover_oid IS NULL
  UNION ALL
  SELECT 22, 'PRIVILEGES', format('%I is no member of shardwright_owner: GRANT shardwright_owner TO %1$I', operator)
  FROM role WHERE owner_oid IS NOT NULL AND NOT pg_has_role(operator_oid, owner_oid, 'USAGE')
  UNION ALL
  SELECT 23, 'PRIVILEGES', format('%I may not create in this database: GRANT CREATE ON DATABASE %I TO %1$I', operator, current_database())
  FROM role WHERE NOT has_database_privilege(operator_oid, current_database(), 'CREATE')
  UNION ALL
  SELECT 24, 'PRIVILEGES', format('%I is no member of %s: GRANT %2$s TO %1$I', operator, needed)
  FROM role, unnest(ARRAY['pg_signal_backend', 'pg_monitor']) needed
  WHERE NOT pg_has_role(operator_oid, needed, 'USAGE')
  UNION ALL
  SELECT 25, 'PRIVILEGES', format('%I may not replicate: ALTER ROLE %1$I REPLICATION', mover)
  FROM role WHERE NOT (mover_replication OR mover_super)
  UNION ALL
  SELECT 26, 'PRIVILEGES',
    format('%I may not set session_replication_role: GRANT SET ON PARAMETER session_replication_role TO %1$I', mover)
  FROM role WHERE mover_oid IS NOT NULL AND NOT has_parameter_privilege(mover_oid, 'session_replication_role', 'SET')
  UNION ALL
  SELECT 27, 'PRIVILEGES', format('%I is no member of pg_read_all_stats: GRANT pg_read_all_stats TO %1$I', mover)
  FROM role WHERE mover_oid IS NOT NULL AND NOT pg_has_role(mover_oid, 'pg_read_all_stats', 'USAGE')
  UNION ALL
  SELECT 28, 'PRIVILEGES', format('%I is no member of shardwright_mover: GRANT shardwright_mover TO %1$I', mover)
  FROM role, pg_roles m
  WHERE mover_oid IS NOT NULL AND m.rolname = 'shardwright_mover' AND NOT pg_has_role(mover_oid, m.oid, 'USAGE')
  UNION ALL
  SELECT 29, 'PRIVILEGES', 'schema shardwright is owned by ' || quote_ident(o.rolname) || ', not by shardwright_owner: '
    || 'ALTER SCHEMA shardwright OWNER TO shardwright_owner, or rename it when it is of somebody else'
  FROM pg_namespace n JOIN pg_roles o ON o.oid = n.nspowner WHERE n.nspname = 'shardwright' AND o.rolname <> 'shardwright_owner'
)
SELECT kind, message FROM problem ORDER BY rank, message;
