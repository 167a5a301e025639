package io.shardwright.plugin.acks;

import io.shardwright.plugin.text.TextTable;
import io.shardwright.plugin.text.View;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Who has acknowledged a revision.
 *
 * @param revision the published one
 * @param known the operator has said who has acknowledged this revision; otherwise nothing below is about it
 * @param acknowledged "acknowledged/live", by role, and of all
 * @param missing who has not, and why
 * @param routers live router pods with what is known of each; null when the user may not list pods
 */
record AcksView(
        String namespace,
        String cluster,
        long revision,
        boolean known,
        Map<String, String> acknowledged,
        List<Missing> missing,
        List<Router> routers)
        implements View {

    record Missing(String name, String reason) {}

    /** @param state acknowledged, missing or unknown */
    record Router(String pod, String role, State state) {}

    /** Unknown is neither of the others. */
    enum State {
        ACKNOWLEDGED,
        MISSING,
        UNKNOWN
    }

    @Override
    public String text() {
        StringBuilder text = new StringBuilder(
                "ShardCluster " + namespace + "/" + cluster + ", routing table at revision " + revision + "\n");
        if (!known) {
            return text.append(
                            "the operator has not said yet who has acknowledged it: look again in some seconds, or see\n")
                    .append("kubectl -n " + namespace + " describe shardcluster " + cluster + "\n")
                    .toString();
        }
        TextTable counts = new TextTable("ROLE", "ACKNOWLEDGED/LIVE");
        acknowledged.forEach(counts::row);
        text.append('\n').append(counts);
        if (missing.isEmpty()) {
            text.append("\nevery live router has acknowledged it\n");
        } else {
            TextTable names = new TextTable("MISSING", "WHY");
            missing.forEach(one -> names.row(one.name(), one.reason()));
            text.append('\n').append(names);
        }
        return text.append(pods()).toString();
    }

    private String pods() {
        if (routers == null) {
            return "\nthe routers by name: that needs the right to list pods\n";
        }
        if (routers.isEmpty()) {
            return "";
        }
        TextTable table = new TextTable("ROUTER", "ROLE", "REVISION " + revision);
        routers.forEach(router ->
                table.row(router.pod(), router.role(), router.state().name().toLowerCase(Locale.ROOT)));
        return "\n" + table;
    }
}
