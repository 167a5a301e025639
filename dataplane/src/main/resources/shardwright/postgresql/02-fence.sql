-- The check that stands before every write. Run after 01-schema.sql in the same transaction; every statement may be repeated.
-- ${...} are numbers and names that the operator has validated: bucket_expression, buckets.

CREATE OR REPLACE FUNCTION shardwright.bucket_of(key text) RETURNS integer
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ${bucket_expression};
COMMENT ON FUNCTION shardwright.bucket_of(text) IS 'bucket of a canonical key text; the same function as in every router';

-- The functions without a search path of their own are called from pinned ones only; nobody else may execute them.

-- One refusal, one form: SQLSTATE SH409 and JSON in DETAIL tell a router where to go.
CREATE OR REPLACE FUNCTION shardwright.refuse(b integer, seen_state text, f shardwright.fence) RETURNS void
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RAISE EXCEPTION 'stale route: bucket % is % here', b, seen_state USING
    ERRCODE = 'SH409',
    DETAIL = json_build_object('bucket', b, 'state', seen_state, 'owner', f.owner, 'epoch', f.epoch, 'move', f.move_id),
    HINT = 'route the key again by the newest routing table; DETAIL names the owner as far as this database knows';
END $$;

-- REPEATABLE READ and SERIALIZABLE have a snapshot that is older than the wait for the lock, so the row is read FOR SHARE:
-- a row that changed since raises 40001, which here means a stale route.
CREATE OR REPLACE FUNCTION shardwright.newest_fence_row(row_scope text, b integer) RETURNS shardwright.fence
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  f shardwright.fence;
BEGIN
  SELECT * INTO f FROM shardwright.fence WHERE scope = row_scope FOR SHARE;
  RETURN f;
EXCEPTION WHEN serialization_failure THEN
  PERFORM shardwright.refuse(b, 'DRAINING', NULL);
END $$;

-- True once per transaction: the setting ends with it.
CREATE OR REPLACE FUNCTION shardwright.first_fence_call() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('shardwright.fenced', true) = 'yes' THEN
    RETURN false;
  END IF;
  PERFORM set_config('shardwright.fenced', 'yes', true);
  RETURN true;
END $$;

-- True while the placement is being adopted, and then until the end of the transaction: arming waits for the row lock. A
-- snapshot that is older than the installation, or than its arming, cannot tell; its transaction has to be repeated (40001), as
-- its isolation level demands of every application.
CREATE OR REPLACE FUNCTION shardwright.adopting() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  is_armed boolean;
BEGIN
  SELECT armed INTO is_armed FROM shardwright.installation FOR SHARE;
  IF NOT FOUND AND current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'could not serialize access: the fence was installed after this transaction began'
      USING ERRCODE = 'serialization_failure', HINT = 'repeat the transaction';
  END IF;
  RETURN NOT coalesce(is_armed, true);
END $$;

-- Whether a row of a bucket without a fence row may be written here: while the fence is not armed it may, and the bucket is
-- noted, so that nothing is missed between the scan of the tables and the arming. What is noted already needs no lock; but an
-- old snapshot may show a note that has been taken back, so it trusts only its own.
CREATE OR REPLACE FUNCTION shardwright.first_write_passes(b integer) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  rc boolean := current_setting('transaction_isolation') = 'read committed';
BEGIN
  IF EXISTS (SELECT FROM shardwright.first_write n WHERE n.bucket = b AND (rc OR n.xmin = pg_current_xact_id()::xid)) THEN
    RETURN true;
  END IF;
  IF NOT shardwright.adopting() THEN
    RETURN false;
  END IF;
  INSERT INTO shardwright.first_write (bucket) VALUES (b);
  RETURN true;
END $$;

-- Takes the shared lock of the scope first and reads the fence row second, in two statements with two snapshots; the lock
-- is kept to the end of the transaction. May wait only as the first fence call of a transaction (it holds no row lock then);
-- later calls give up at once, because a mover that applies rows may hold the lock and wait for ours.
--
-- Where the bucket is owned, its other keys take no lock of their own: a transaction over many keys would need one for each. Who has
-- a row is looked for without a lock. That is safe: we hold the bucket's lock, and where a bucket is owned the row of a key comes and
-- goes behind the exclusive one only, or in the transaction that makes the bucket owned, whose other rows a snapshot of after it
-- shows. An older snapshot (REPEATABLE READ) shows what locking the row would have found in it: no lock is taken on a row that
-- it does not show. It can miss one that has come since; but then the row of the bucket has changed too, and was refused above.
CREATE OR REPLACE FUNCTION shardwright.fence_check(b integer, k text, e bigint, may_wait boolean) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  f   shardwright.fence;
  o   shardwright.fence;
  got boolean := true;
  apart boolean := false;
  rc  boolean := current_setting('transaction_isolation') = 'read committed';
BEGIN
  IF b IS NULL THEN
    RAISE EXCEPTION 'the shard key is null' USING ERRCODE = 'not_null_violation';
  END IF;
  IF pg_is_in_recovery() THEN
    PERFORM shardwright.refuse(b, 'ABSENT', NULL);
  END IF;

  IF may_wait THEN
    PERFORM pg_advisory_xact_lock_shared(7001, b);
  ELSE
    got := pg_try_advisory_xact_lock_shared(7001, b);
  END IF;
  IF rc OR NOT got THEN
    SELECT * INTO f FROM shardwright.fence WHERE scope = 'b:' || b;
  ELSE
    f := shardwright.newest_fence_row('b:' || b, b);
  END IF;

  IF got AND k IS NOT NULL AND f.state = 'OWNED' AND f.overrides > 0 THEN
    apart := EXISTS (SELECT FROM shardwright.fence WHERE scope = 'k:' || k);
  END IF;
  IF got AND k IS NOT NULL AND (f.state IS DISTINCT FROM 'OWNED' OR apart) THEN
    IF may_wait THEN
      PERFORM pg_advisory_xact_lock_shared(7002, hashtext(k));
    ELSE
      got := pg_try_advisory_xact_lock_shared(7002, hashtext(k));
    END IF;
    IF rc OR NOT got THEN
      SELECT * INTO o FROM shardwright.fence WHERE scope = 'k:' || k;
    ELSE
      o := shardwright.newest_fence_row('k:' || k, b);
    END IF;
    IF o.scope IS NOT NULL THEN
      f := o;
    END IF;
  END IF;

  -- Only row triggers let a first write pass: a router that enters a bucket without a row has an odd table.
  IF got AND f.scope IS NULL AND pg_trigger_depth() > 0 THEN
    IF shardwright.first_write_passes(b) THEN
      RETURN 1;
    END IF;
    SELECT * INTO f FROM shardwright.fence WHERE scope = 'b:' || b; -- armed a moment ago, it may be owned by now
  END IF;

  IF NOT got THEN
    PERFORM shardwright.refuse(b, 'DRAINING', f);
  ELSIF f.state IS DISTINCT FROM 'OWNED' OR f.epoch <> e THEN
    PERFORM shardwright.refuse(b, coalesce(f.state, 'ABSENT'), f);
  END IF;
  RETURN f.epoch;
END $$;

-- What a router calls before the first statement of a transaction. Returns the epoch of the scope.
CREATE OR REPLACE FUNCTION shardwright.enter(bucket integer, key text, epoch bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF bucket <> shardwright.bucket_of(key) THEN
    RAISE EXCEPTION 'key belongs to bucket %, not %', shardwright.bucket_of(key), bucket USING
      ERRCODE = 'invalid_parameter_value',
      HINT = 'compute the bucket as shardwright.bucket_of(text) does: see the routing contract, section 1';
  END IF;
  RETURN shardwright.fence_check(bucket, key, epoch, shardwright.first_fence_call());
END $$;
COMMENT ON FUNCTION shardwright.enter(integer, text, bigint) IS
  'locks and checks a bucket (and key, unless null) for this transaction; epoch only for strong reads, else null';

-- Rows of buckets stay for ever, a mover may not delete one. The row of a key goes when its bucket's row says the same, and the
-- mover that calls this has locked both.
CREATE OR REPLACE FUNCTION shardwright.drop_key_rows(scopes text[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM shardwright.fence WHERE scope = ANY (scopes) AND starts_with(scope, 'k:')
$$;
COMMENT ON FUNCTION shardwright.drop_key_rows(text[]) IS 'forgets fence rows of keys; never one of a bucket';

CREATE OR REPLACE FUNCTION shardwright.refuse_truncate() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF shardwright.adopting() THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'TRUNCATE of sharded table %.% is refused: it would also empty buckets that are moving',
    quote_ident(TG_TABLE_SCHEMA), quote_ident(TG_TABLE_NAME)
    USING ERRCODE = 'feature_not_supported', HINT = 'use DELETE with the shard key';
END $$;
