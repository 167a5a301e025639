package io.shardwright.e2e.demo;

import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import java.nio.file.Path;
import java.util.List;

/** {@code make demo}: the main job, told while it runs; exit code 0 only if everything that it claims holds. */
public final class Demo {
    private static final String HELP = """
            usage: make demo

            Starts an embedded stack (etcd, kube-apiserver, six PostgreSQL servers), installs the shipped manifests,
            runs the operator and four application processes, adds a fifth shard and follows the moves; makes one more
            move and takes it back after its switch; then one tenant is written hard, is found, gets a shard for itself
            and goes home.
            Writes target/demo/report.json. Exit code 0: everything that it claims holds.
            """;

    private Demo() {}

    public static void main(String[] args) throws Exception {
        if (List.of(args).contains("-h") || List.of(args).contains("--help")) {
            System.out.print(HELP);
            return;
        }
        if (args.length > 0) {
            System.err.println("unknown argument: " + args[0] + "\n" + HELP);
            System.exit(2);
        }
        System.exit(new Demo().run(Narrator.standard()) ? 0 : 1);
    }

    private boolean run(Narrator narrator) throws Exception {
        narrator.step("start the stage");
        try (Stage stage = Stage.builder()
                .layout(new ShopLayout(100, 4, 4, 25))
                .spares(1)
                .dedicated(HotKeyChapter.DEDICATED)
                .durable()
                .listener(text -> narrator.say("%s", text))
                .start()) {
            PlayedDemo played = PlayedDemo.allChapters(stage, narrator);
            DemoReport report = played.report();
            Path file = stage.checkout().root().resolve("target/demo/report.json");
            report.write(file);
            List<String> broken = Claims.broken(report, played.result(), stage);
            Summary.tell(narrator, report, broken, file);
            if (!broken.isEmpty()) {
                Path evidence = file.resolveSibling("evidence");
                stage.saveEvidence(evidence);
                narrator.say("objects, events and all logs are in %s", evidence);
            }
            return broken.isEmpty();
        }
    }
}
