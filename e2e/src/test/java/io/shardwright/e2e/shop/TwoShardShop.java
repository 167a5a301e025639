package io.shardwright.e2e.shop;

import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.steps.CrashSite;
import io.shardwright.servers.WorkDirectory;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * The stage that stories share: two shards of eight buckets, the operator, which can be killed at a step, two workers and two web
 * processes that write a little. Each story moves a bucket of its own, and counts from what it found. Starts with the first story that
 * asks for it, ends with the JVM's tests: the store of the session, because each class is an execution of its own when
 * several JVMs share the stories, and a stage per class was most of the work.
 */
public final class TwoShardShop implements ParameterResolver {
    public static final int BUCKETS = 16;
    private static final int OPERATIONS_PER_SECOND = 40;

    /** The stage with its load, and where its operator can be killed. */
    public record Open(Stage stage, Shop shop, LiveLoad load, CrashSite site, WorkDirectory steps)
            implements AutoCloseable {
        static Open open() {
            var steps = WorkDirectory.create("steps");
            Stage stage = Stage.builder()
                    .layout(new ShopLayout(BUCKETS, 2, 4, 10))
                    .spares(0)
                    .start();
            try {
                var shop = new Shop(stage);
                var site = new CrashSite(stage, steps.path());
                site.start();
                stage.applyTopology(2).orThrow();
                shop.awaitReady();
                LiveLoad load = LiveLoad.start(stage, new LiveLoad.Shape(2, 2, OPERATIONS_PER_SECOND));
                return new Open(stage, shop, load, site, steps);
            } catch (RuntimeException | Error e) {
                stage.close();
                steps.close();
                throw e;
            }
        }

        @Override
        public void close() {
            load.stop();
            stage.close();
            steps.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType().equals(Open.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(Open.class, type -> Open.open(), Open.class);
    }
}
