package io.shardwright.e2e.demo;

import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** {@code make play}: the same stage with load, left up for a person; Ctrl-C ends it and leaves nothing behind. */
public final class Play {
    /** Of the plan that five shards get: ds-0 gives away the last five of its buckets 0 to 24. */
    private static final int FIRST_TO_MOVE = 20;

    /** Long enough to try a way back, short enough to see a move end. */
    private static final String SOAK = "10m";

    private Play() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("-h") || List.of(args).contains("--help")) {
            System.out.println(
                    "usage: make play\n\nLeaves the stage of the demo up and prints what to try. Ctrl-C ends it.");
            return;
        }
        var narrator = Narrator.standard();
        var end = new CountDownLatch(1);
        var closed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            end.countDown();
            awaitQuietly(closed);
        }));
        narrator.step("start the stage");
        try (Stage stage = Stage.builder()
                .layout(new ShopLayout(100, 4, 4, 25))
                .spares(1)
                .listener(text -> narrator.say("%s", text))
                .start()) {
            new MainJob(stage, narrator).install(SOAK);
            LiveLoad.start(stage, new LiveLoad.Shape(2, 2, 100));
            tell(narrator, stage);
            WaysBack.tell(stage, narrator);
            end.await();
            narrator.step("stop everything");
        } finally {
            closed.countDown();
        }
    }

    private static void awaitQuietly(CountDownLatch closed) {
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tell(Narrator narrator, Stage stage) throws IOException {
        Path directory = Files.createDirectories(stage.checkout().root().resolve("target/play"));
        Path five = Files.writeString(directory.resolve("five-shards.yaml"), stage.topology(5));
        narrator.step("the stage is up, with a light load; try, in another shell:");
        narrator.say(
                "export PATH=%s:%s:$PATH",
                stage.controlPlane().binaries(), stage.checkout().root().resolve("plugin"));
        narrator.say("export KUBECONFIG=%s", stage.people().administratorKubeconfig());
        narrator.say("kubectl -n shop get shardwright");
        narrator.say("kubectl shardwright plan -f %s", five);
        narrator.say("kubectl shardwright explain 42 -n shop");
        narrator.say("kubectl apply -f %s", five);
        narrator.say("kubectl -n shop get shp orders -o jsonpath='{.status.plan.hash}'");
        narrator.say(
                "kubectl -n shop patch shp orders --type=merge -p '{\"spec\":{\"rebalancing\":{\"approvedPlan\":\"<hash>\"}}}'");
        narrator.say("kubectl -n shop get bm -w");
        narrator.say(
                "# a move can be taken back for %s after its switch, and ends then; how, is told here with its name",
                SOAK);
        narrator.say("kubectl -n shop describe shc orders");
        narrator.say(
                "# people have roles of their own: add --as=ada --as-group=engineers, or --as=grace --as-group=approvers");
        String password = stage.databases().passwords().application();
        for (var shard : stage.databases().all()) {
            narrator.say(
                    "# %s is postgresql://shop_app:%s@127.0.0.1:%d/shop",
                    shard.name(), password, shard.server().port());
        }
        long tenant = stage.layout().tenantsByBucket().get(FIRST_TO_MOVE).get(0);
        narrator.say("# once bucket %d has moved, its old owner ds-0 refuses this with SH409:", FIRST_TO_MOVE);
        narrator.say("#   INSERT INTO orders (tenant_id, reference) VALUES (%d, 'too late')", tenant);
        narrator.say("# the operator's log: %s", stage.operator(0).log());
        narrator.say("Ctrl-C ends it and leaves nothing behind");
    }
}
