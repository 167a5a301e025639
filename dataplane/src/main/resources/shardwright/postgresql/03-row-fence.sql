-- The trigger function of all tables whose shard key column is ${shard_key}. Run after 02-fence.sql in the same transaction.

CREATE OR REPLACE FUNCTION shardwright.${row_function}() RETURNS trigger
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM shardwright.first_fence_call();
    PERFORM shardwright.fence_check(
      shardwright.bucket_of(OLD.${shard_key}::text), OLD.${shard_key}::text, NULL, false);
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.${shard_key} IS DISTINCT FROM OLD.${shard_key} THEN
    IF NOT shardwright.adopting() THEN
      RAISE EXCEPTION 'the shard key of a row cannot be changed'
        USING ERRCODE = 'feature_not_supported', HINT = 'delete the row and insert it again under its new key';
    END IF;
  END IF;
  PERFORM shardwright.first_fence_call();
  PERFORM shardwright.fence_check(
    shardwright.bucket_of(NEW.${shard_key}::text), NEW.${shard_key}::text, NULL, false);
  RETURN NEW;
END $$;
