-- Shardwright on PostgreSQL 15 to 18: the part that needs a superuser. A DBA reads this file and runs it once in every shard
-- database (roles belong to the server, grants to the database); running it again changes nothing. Everything else,
-- schema, fence, triggers, publication and replication slots, is made by the operator with the logins below.
--
--   psql -d shop -f postgresql.sql
--   ALTER ROLE shardwright_operator PASSWORD '...';  ALTER ROLE shardwright_mover PASSWORD '...';
--   GRANT shardwright_app TO <each login of the application>;
--
-- The server needs wal_level = logical (a restart), and max_replication_slots and max_wal_senders with room for moves. Bound what their
-- slots may keep, for while no operator works nobody stops them, and the connections that moves may take from the application
-- (docs/databases.md counts them; a login that is refused is named and tried again):
--   ALTER SYSTEM SET max_slot_wal_keep_size = '50GB';
--   ALTER ROLE shardwright_mover CONNECTION LIMIT 32;

-- 1. Roles. None has a password here, none is a superuser, none may create roles or databases.
DO $$
BEGIN
  -- Owns schema shardwright and its functions. Nobody logs in as it, so no leaked password can change the fence.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shardwright_owner') THEN
    CREATE ROLE shardwright_owner NOLOGIN;
  END IF;
  -- What an application needs: enter buckets, read fence rows. The operator grants exactly that to it.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shardwright_app') THEN
    CREATE ROLE shardwright_app NOLOGIN;
  END IF;
  -- Installs the fence, adopts buckets, looks, ends the sessions of a mover that hangs.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shardwright_operator') THEN
    CREATE ROLE shardwright_operator LOGIN;
  END IF;
  -- Copies, streams, switches and cleans buckets. REPLICATION: it makes a logical slot and reads it.
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'shardwright_mover') THEN
    CREATE ROLE shardwright_mover LOGIN REPLICATION;
  END IF;
END $$;

-- 2. The operator.
-- The fence functions run with the rights of their owner; only a member can create and upgrade them.
GRANT shardwright_owner TO shardwright_operator;
-- Ends the sessions of a mover that does not answer (the watchdog); cannot end those of superusers.
GRANT pg_signal_backend TO shardwright_operator;
-- Sees who holds a bucket, and how far standbys are.
GRANT pg_monitor TO shardwright_operator;

DO $$
DECLARE
  owner_name name;
BEGIN
  -- The schema and the publication are made in this database.
  EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO shardwright_operator', current_database());
  EXECUTE format('GRANT CONNECT ON DATABASE %I TO shardwright_mover', current_database());

  -- Triggers and publications need the owner of the table. Every role that owns a table here, but for superusers and our own:
  -- to grant less, replace this loop by one line per owner: GRANT shop_owner TO shardwright_operator;
  FOR owner_name IN
    SELECT DISTINCT r.rolname FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_roles r ON r.oid = c.relowner
    WHERE c.relkind IN ('r', 'p') AND NOT r.rolsuper AND r.rolname NOT LIKE 'shardwright\_%'
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'shardwright')
  LOOP
    EXECUTE format('GRANT %I TO shardwright_operator', owner_name);
  END LOOP;
END $$;

-- 3. The mover. Rights on tables and sequences come from the operator, table by table, for sharded tables only.
-- Rows that it applies have been checked on the other side: triggers and foreign keys must not run a second time.
GRANT SET ON PARAMETER session_replication_role TO shardwright_mover;
-- Sees transactions that would delay a switch, and the position of standbys.
GRANT pg_read_all_stats TO shardwright_mover;

-- Replication origins mark the changes that a mover applied, so that no change travels in a circle.
DO $$
DECLARE
  origin_function regprocedure;
BEGIN
  FOR origin_function IN
    SELECT oid::regprocedure FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname LIKE 'pg\_replication\_origin\_%'
  LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shardwright_mover', origin_function);
  END LOOP;
END $$;
