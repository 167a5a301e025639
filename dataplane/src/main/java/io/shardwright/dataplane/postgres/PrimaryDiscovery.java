package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Who is the primary of a shard, by asking all its instances at once. A primary is discovered, never declared; two of them
 * are no answer.
 *
 * @param answers in the order of the instances
 */
record PrimaryDiscovery(String shard, List<Answer> answers) {
    /**
     * @param session in which the instance answered, still open; null when it did not
     * @param failure null when the instance answered
     */
    record Answer(Endpoint instance, Connection session, boolean primary, SqlFailure failure) {}

    /** How to get a session on an instance. */
    @FunctionalInterface
    interface Way {
        Connection to(Endpoint instance) throws SQLException;
    }

    static PrimaryDiscovery ask(ShardAccess shard, Way way) throws ShardException {
        List<Answer> answers = new ArrayList<>();
        Queue<Connection> opened = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> asked = shard.instances().stream()
                    .map(instance -> threads.submit(() -> ask(instance, way, opened)))
                    .toList();
            for (Future<Answer> one : asked) {
                answers.add(one.get());
            }
        } catch (InterruptedException e) {
            opened.forEach(PrimaryDiscovery::close);
            Thread.currentThread().interrupt();
            throw new ShardException(
                    "shard " + shard.shard() + ": interrupted while looking for the primary", false, e);
        } catch (ExecutionException e) {
            opened.forEach(PrimaryDiscovery::close);
            throw new IllegalStateException(e.getCause());
        }
        return new PrimaryDiscovery(shard.shard(), List.copyOf(answers));
    }

    private static Answer ask(Endpoint instance, Way way, Queue<Connection> opened) {
        Connection session = null;
        try {
            session = way.to(instance);
            opened.add(session);
            return new Answer(instance, session, !inRecovery(session), null);
        } catch (SQLException e) {
            close(session);
            return new Answer(instance, null, false, SqlFailure.of(e));
        }
    }

    private static boolean inRecovery(Connection session) throws SQLException {
        try (Statement statement = session.createStatement();
                ResultSet answer = statement.executeQuery("SELECT pg_is_in_recovery()")) {
            answer.next();
            return answer.getBoolean(1);
        }
    }

    private static void close(Connection session) {
        try {
            if (session != null) {
                session.close();
            }
        } catch (SQLException e) {
            // it is gone already, and nothing was open in it
        }
    }

    /** Closes the sessions but that on the primary; all of them, when there is no single primary. */
    void keepThePrimaryOnly() {
        boolean found = primaries().size() == 1;
        answers.stream().filter(answer -> !(found && answer.primary())).forEach(answer -> close(answer.session()));
    }

    private List<Answer> primaries() {
        return answers.stream().filter(Answer::primary).toList();
    }

    /** The answer of the only primary. */
    Answer primary() throws ShardException {
        if (primaries().size() == 1) {
            return primaries().getFirst();
        }
        SQLException cause = answers.stream()
                .filter(answer -> answer.failure() != null)
                .map(answer -> answer.failure().cause())
                .findFirst()
                .orElse(null);
        boolean lasting = !answers.isEmpty()
                && answers.stream()
                        .allMatch(answer ->
                                answer.failure() != null && answer.failure().lasting());
        String messages = problems().stream().map(Problem::message).collect(Collectors.joining("; "));
        throw new ShardException("shard " + shard + ": " + messages, lasting, cause);
    }

    /** Why there is no single primary; empty when there is one. */
    List<Problem> problems() {
        List<Endpoint> primaries = primaries().stream().map(Answer::instance).toList();
        if (primaries.size() == 1) {
            return List.of();
        }
        if (primaries.size() > 1) {
            return List.of(new Problem(
                    Problem.Kind.NO_PRIMARY,
                    primaries.size() + " instances answer as primary: " + primaries
                            + "; find out which one is right and stop or demote the others"));
        }
        if (answers.isEmpty()) {
            return List.of(new Problem(
                    Problem.Kind.NO_PRIMARY, "no instance is declared, so nobody can be asked; declare its instances"));
        }
        List<Problem> problems = new ArrayList<>();
        for (Answer answer : answers) {
            if (answer.failure() != null) {
                problems.add(answer.failure().asProblem("connect to " + answer.instance()));
            }
        }
        if (problems.size() < answers.size()) {
            problems.addFirst(
                    new Problem(
                            Problem.Kind.NO_PRIMARY,
                            "no instance is primary, all that answer are standbys; promote one, or add the primary to instances"));
        }
        return problems;
    }
}
