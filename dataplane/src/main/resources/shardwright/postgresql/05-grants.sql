-- Who may do what inside the schema. Run as shardwright_owner at the end of the installing transaction.

REVOKE ALL ON SCHEMA shardwright FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA shardwright FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA shardwright FROM PUBLIC, shardwright_app, shardwright_mover;

-- Applications enter buckets, and a router that is cut off from the operator polls the fence.
GRANT USAGE ON SCHEMA shardwright TO shardwright_app;
GRANT EXECUTE ON FUNCTION shardwright.enter(integer, text, bigint) TO shardwright_app;
GRANT SELECT ON shardwright.fence TO shardwright_app;

-- Movers write fence rows by compare-and-swap and keep their own books; nobody deletes the row of a bucket: tombstones stay.
GRANT USAGE ON SCHEMA shardwright TO shardwright_mover;
GRANT EXECUTE ON FUNCTION shardwright.bucket_of(text), shardwright.schema_identity(), shardwright.drop_key_rows(text[])
  TO shardwright_mover;
GRANT SELECT ON shardwright.installation, shardwright.sharded_table, shardwright.first_write TO shardwright_mover;
GRANT SELECT, INSERT, UPDATE ON shardwright.fence TO shardwright_mover;
GRANT SELECT, INSERT, UPDATE, DELETE
  ON shardwright.move_progress, shardwright.claim, shardwright.cleanup_record, shardwright.heartbeat TO shardwright_mover;
