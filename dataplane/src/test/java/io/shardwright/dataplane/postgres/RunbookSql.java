package io.shardwright.dataplane.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One {@code psql} line of a runbook, as a person types it.
 *
 * @param shard that the line is typed for
 * @param sql everything behind its {@code -c}, as one transaction
 */
public record RunbookSql(String shard, String sql) {
    private static final Pattern HOST = Pattern.compile("psql -h (\\S+)-a\\.db ");
    private static final Pattern STATEMENT = Pattern.compile("-c \"(.*?)\"(?: |$)");

    /** Those lines of the page that contain the words. Pages speak of bucket 20, and call a move MOVE. */
    public static List<RunbookSql> of(String page, String containing, int bucket, UUID move) {
        List<RunbookSql> lines = text(page)
                .lines()
                .filter(line -> line.strip().startsWith("psql ") && line.contains(containing))
                .map(line ->
                        line.replaceAll("\\b20\\b", Integer.toString(bucket)).replace("'MOVE'", "'" + move + "'"))
                .map(RunbookSql::line)
                .toList();
        assertThat(lines).as(page + " has lines with " + containing).isNotEmpty();
        return lines;
    }

    private static RunbookSql line(String line) {
        var host = HOST.matcher(line);
        assertThat(host.find()).as(line).isTrue();
        return new RunbookSql(
                host.group(1),
                STATEMENT
                        .matcher(line)
                        .results()
                        .map(statement -> statement.group(1))
                        .collect(Collectors.joining("; ")));
    }

    private static String text(String page) {
        try {
            return Files.readString(Path.of("..", "docs", "runbooks", page + ".md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a superuser, in a session of its own. */
    public void on(ShopDatabase database) {
        database.server().runScript(database.name(), sql);
    }
}
