package io.shardwright.operator.lifecycle;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Names this process in the Lease: the replica's name and something that no earlier or other process has. */
final class Identity {
    private Identity() {}

    static String ofThisProcess(Optional<String> configured) {
        String replica = configured.filter(name -> !name.isBlank()).orElseGet(Identity::hostName);
        return replica + "_"
                + HexFormat.of().toHexDigits(RandomGenerator.getDefault().nextInt());
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "operator";
        }
    }
}
