-- Tables of the fence. Run by the operator, in one transaction, as role shardwright_owner; every statement may be repeated.

CREATE TABLE IF NOT EXISTS shardwright.installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version  integer NOT NULL,
  buckets  integer NOT NULL,
  hash     text    NOT NULL,
  key_type text    NOT NULL,
  code     text    NOT NULL,
  armed    boolean NOT NULL DEFAULT true
);
COMMENT ON TABLE shardwright.installation IS
  'which version of the fence is installed, the bucket function of this cluster, and whether buckets without a fence row are refused';

CREATE TABLE IF NOT EXISTS shardwright.sharded_table (
  position     integer PRIMARY KEY,
  table_schema text NOT NULL,
  table_name   text NOT NULL,
  shard_key    text NOT NULL,
  scanned      boolean NOT NULL DEFAULT true,
  UNIQUE (table_schema, table_name)
);
COMMENT ON TABLE shardwright.sharded_table IS
  'the co-located tables, in declared order; scanned once their rows were looked at with the fence in place';

-- What version 1 did not have; whoever had installed it had adopted, so its fence is armed. Asked first, because an ALTER TABLE
-- that finds nothing to do would still wait for first writes in flight and make later ones wait.
DO $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = 'shardwright.installation'::regclass AND attname = 'armed')
  THEN
    ALTER TABLE shardwright.installation ADD armed boolean NOT NULL DEFAULT true;
    ALTER TABLE shardwright.sharded_table ADD scanned boolean NOT NULL DEFAULT true;
  END IF;
END $$;

-- No unique bucket: two transactions that write the same empty buckets in another order would wait for each other.
CREATE TABLE IF NOT EXISTS shardwright.first_write (
  bucket integer NOT NULL,
  entry  bigint  GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (bucket, entry)
);
COMMENT ON TABLE shardwright.first_write IS
  'buckets without a fence row that were written while the fence was not armed; arming makes them OWNED';

CREATE TABLE IF NOT EXISTS shardwright.fence (
  scope     text COLLATE "C" PRIMARY KEY,
  bucket    integer NOT NULL,
  state     text    NOT NULL CHECK (state IN ('OWNED', 'MOVED', 'IMPORTING', 'ABORTED')),
  epoch     bigint  NOT NULL,
  owner     text,
  move_id   uuid,
  overrides integer NOT NULL DEFAULT 0 CHECK (overrides >= 0)
) WITH (fillfactor = 50);
COMMENT ON TABLE shardwright.fence IS
  'who owns a bucket (b:17) or a key (k:42); rows are the truth about ownership and are never deleted by hand';

CREATE TABLE IF NOT EXISTS shardwright.move_progress (
  move_id   uuid NOT NULL,
  direction text NOT NULL CHECK (direction IN ('F', 'R')),
  token     text NOT NULL,
  position  pg_lsn,
  cursor    jsonb,
  PRIMARY KEY (move_id, direction)
) WITH (fillfactor = 50);
COMMENT ON TABLE shardwright.move_progress IS
  'how far a move has been applied here; token is the mover that may go on, position an end position in the log of the other side';

CREATE TABLE IF NOT EXISTS shardwright.claim (
  move_id uuid PRIMARY KEY,
  token   text NOT NULL
);
COMMENT ON TABLE shardwright.claim IS 'on the source: the mover that may fence';

CREATE TABLE IF NOT EXISTS shardwright.cleanup_record (
  move_id     uuid NOT NULL,
  kind        text NOT NULL,
  name        text NOT NULL,
  token       text NOT NULL,
  prior_state jsonb,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (move_id, kind, name)
);
COMMENT ON TABLE shardwright.cleanup_record IS
  'what a move will leave behind; written and durable before the slot, origin or row set is made';

CREATE TABLE IF NOT EXISTS shardwright.heartbeat (
  move_id uuid PRIMARY KEY,
  beat    bigint NOT NULL DEFAULT 0,
  mark    text
) WITH (fillfactor = 50);
COMMENT ON TABLE shardwright.heartbeat IS 'commits of the mover on the source, seen again in its stream: delay and markers';
