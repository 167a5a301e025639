package io.shardwright.dataplane.postgres;

import java.util.List;
import java.util.function.Consumer;

/**
 * A server that answers every write of movers as one whose disk is full does, by a trigger on the tables that they write; whoever sets
 * {@code session_replication_role} is not concerned. The same with a disk that is really full is {@code FullSourceIT}.
 */
public final class RefusedWrites {
    private static final String BODY = """
            CREATE OR REPLACE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              IF %s THEN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END IF;
              RETURN NULL;
            END $$;
            """;

    private final Consumer<String> script;

    /** @param script runs SQL as the superuser on the server */
    public RefusedWrites(Consumer<String> script) {
        this.script = script;
        refuse(false);
        List.of("fence", "claim", "cleanup_record", "heartbeat", "move_progress")
                .forEach(table -> script.accept(
                        "CREATE OR REPLACE TRIGGER full_disk BEFORE INSERT OR UPDATE OR DELETE ON shardwright." + table
                                + " FOR EACH STATEMENT EXECUTE FUNCTION public.full_disk()"));
    }

    public static RefusedWrites of(ShopDatabase database) {
        return new RefusedWrites(sql -> database.server().runScript(database.name(), sql));
    }

    /** From the next statement on. */
    public void refuse(boolean wanted) {
        script.accept(BODY.formatted(wanted));
    }
}
