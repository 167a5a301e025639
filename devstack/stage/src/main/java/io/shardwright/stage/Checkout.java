package io.shardwright.stage;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The tree that this stage shows: the shipped manifests and the built operator are taken from it, never copied. The system
 * property {@code shardwright.root} names it; else it is looked for from the working directory upwards.
 */
public record Checkout(Path root) {
    private static final String SCRIPT = "manifests/databases/postgresql.sql";

    public static Checkout find() {
        var named = System.getProperty("shardwright.root");
        if (named != null) {
            return new Checkout(Path.of(named).toAbsolutePath());
        }
        for (var path = Path.of("").toAbsolutePath(); path != null; path = path.getParent()) {
            if (Files.exists(path.resolve(SCRIPT))) {
                return new Checkout(path);
            }
        }
        throw new IllegalStateException("no directory above " + Path.of("").toAbsolutePath() + " has " + SCRIPT
                + ": run from the checkout, or name it by -Dshardwright.root=...");
    }

    /** What a DBA runs once in every shard database. */
    public Path databaseScript() {
        return root.resolve(SCRIPT);
    }

    public Path manifests() {
        return root.resolve("manifests");
    }

    /** The operator as it ships. */
    public Path operatorJar() {
        var jar = root.resolve("operator/target/shardwright-operator-runner.jar");
        if (!Files.exists(jar)) {
            throw new IllegalStateException("the operator is not built (" + jar + "): mvn package -DskipTests");
        }
        return jar;
    }
}
