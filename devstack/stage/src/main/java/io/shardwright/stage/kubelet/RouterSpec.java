package io.shardwright.stage.kubelet;

import io.shardwright.routing.Role;
import io.shardwright.stage.JavaCommand;
import java.util.List;

/**
 * A router process to be: what it runs and which pod it is. Its environment says the rest, the same for every language:
 *
 * <ul>
 *   <li>{@code SHARDWRIGHT_NAMESPACE}, {@code SHARDWRIGHT_CLUSTER}, {@code SHARDWRIGHT_ROLE} (worker or web)
 *   <li>{@code SHARDWRIGHT_FEED}: base URIs of the operator's replicas, separated by commas; {@code SHARDWRIGHT_CA_FILE}:
 *       whom to trust there
 *   <li>{@code SHARDWRIGHT_TOKEN_FILE}: a token bound to the pod, fresh whenever it is read; {@code SHARDWRIGHT_TABLE_FILE}:
 *       the mounted table, which may not be there yet; not set when nothing is mounted
 *   <li>{@code POD_NAME}, {@code POD_UID}: who it is
 *   <li>{@code SHOP_DATABASE}, {@code SHOP_USER}, {@code SHOP_PASSWORD}: the application's login on every shard
 * </ul>
 *
 * @param name the pod's name
 * @param command the words of the command line
 * @param tableMounted whether the ConfigMap with the routing table is mounted; without it the feed is the only source
 */
public record RouterSpec(String name, Role role, List<String> command, boolean tableMounted) {
    public RouterSpec {
        command = List.copyOf(command);
    }

    /** A main class of this JVM's own class path. */
    public static RouterSpec java(
            String name, Role role, String mainClass, List<String> jvmArguments, List<String> arguments) {
        var command = JavaCommand.ofOwnClassPath(mainClass, jvmArguments, arguments);
        return new RouterSpec(name, role, command.words(), true);
    }

    /** Any program, in any language. */
    public static RouterSpec program(String name, Role role, List<String> command) {
        return new RouterSpec(name, role, command, true);
    }

    public RouterSpec withoutTable() {
        return new RouterSpec(name, role, command, false);
    }

    /** The label {@code app} by which the ShardCluster's selectors find it, and the name of its ServiceAccount. */
    public String application() {
        return "orders-" + role.wire();
    }
}
