package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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
    /** @param failure null when the instance answered */
    record Answer(Endpoint instance, boolean primary, SqlFailure failure) {}

    static PrimaryDiscovery ask(PostgresSessions sessions, ShardAccess shard, As as) throws ShardException {
        List<Answer> answers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Answer>> asked = shard.instances().stream()
                    .map(instance -> threads.submit(() -> ask(sessions, shard, as, instance)))
                    .toList();
            for (Future<Answer> one : asked) {
                answers.add(one.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ShardException(
                    "shard " + shard.shard() + ": interrupted while looking for the primary", false, e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
        return new PrimaryDiscovery(shard.shard(), List.copyOf(answers));
    }

    private static Answer ask(PostgresSessions sessions, ShardAccess shard, As as, Endpoint instance) {
        try (Connection connection = sessions.connect(shard, as, instance, Session.probe("shardwright/discovery"))) {
            return new Answer(instance, !PostgresSessions.inRecovery(connection), null);
        } catch (SQLException e) {
            return new Answer(instance, false, SqlFailure.of(e));
        }
    }

    private List<Endpoint> primaries() {
        return answers.stream().filter(Answer::primary).map(Answer::instance).toList();
    }

    Endpoint primary() throws ShardException {
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
        List<Endpoint> primaries = primaries();
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
