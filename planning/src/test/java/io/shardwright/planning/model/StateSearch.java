package io.shardwright.planning.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Explicit-state breadth-first search: the first violation found is one of the shortest. Visited states lie in one array
 * of words with open addressing; the parent of each state is kept, and the labels of a trace are found by taking the steps
 * again. After a search without violation every state is asked whether it can still reach each goal.
 */
final class StateSearch {
    private static final int FREE = -1;

    private final Model model;
    private final int width;
    private final int limit;
    private long[] states;
    private int[] parents;
    private int[] firstEdge;
    private int[] edges = new int[1 << 16];
    private int[] slots;
    private int count;
    private int edgeCount;

    private StateSearch(Model model, int limit) {
        this.model = model;
        this.width = model.width();
        this.limit = limit;
        int room = 1 << 14;
        states = new long[room * width];
        parents = new int[room];
        firstEdge = new int[room + 1];
        slots = new int[room * 2];
        Arrays.fill(slots, FREE);
    }

    /** @param fault what is wrong, and the steps that lead there; empty when nothing is */
    record Outcome(int states, Optional<Fault> fault) {}

    record Fault(String what, List<String> trace) {
        @Override
        public String toString() {
            return what + " after " + trace.size() + " steps:\n    " + String.join("\n    ", trace);
        }
    }

    /** @throws IllegalStateException when there are more states than the limit: the scope is too large for the budget */
    static Outcome run(Model model, int limit) {
        return new StateSearch(model, limit).search();
    }

    private Outcome search() {
        int first = visit(model.initial(), 0);
        for (int at = first; at < count; at++) {
            long[] state = state(at);
            Optional<String> violation = model.violation(state);
            if (violation.isPresent()) {
                return new Outcome(count, Optional.of(new Fault(violation.get(), trace(at))));
            }
            firstEdge[at] = edgeCount;
            int from = at;
            model.steps(state, (label, next) -> edge(visit(next, from)));
            firstEdge[at + 1] = edgeCount;
        }
        return new Outcome(count, stuck());
    }

    private Optional<Fault> stuck() {
        int[] into = new int[count + 1];
        for (int edge = 0; edge < edgeCount; edge++) {
            into[edges[edge] + 1]++;
        }
        for (int at = 0; at < count; at++) {
            into[at + 1] += into[at];
        }
        int[] sources = new int[edgeCount];
        int[] fill = into.clone();
        for (int at = 0; at < count; at++) {
            for (int edge = firstEdge[at]; edge < firstEdge[at + 1]; edge++) {
                sources[fill[edges[edge]]++] = at;
            }
        }
        return model.goals().stream()
                .flatMap(goal -> cannotReach(goal, into, sources).stream())
                .findFirst();
    }

    private Optional<Fault> cannotReach(Model.Goal goal, int[] into, int[] sources) {
        boolean[] good = new boolean[count];
        Deque<Integer> open = new ArrayDeque<>();
        for (int at = 0; at < count; at++) {
            if (goal.reached().test(state(at))) {
                good[at] = true;
                open.add(at);
            }
        }
        while (!open.isEmpty()) {
            int at = open.remove();
            for (int i = into[at]; i < into[at + 1]; i++) {
                if (!good[sources[i]]) {
                    good[sources[i]] = true;
                    open.add(sources[i]);
                }
            }
        }
        for (int at = 0; at < count; at++) {
            if (!good[at]) {
                return Optional.of(new Fault("STUCK: " + goal.name() + " cannot be reached", trace(at)));
            }
        }
        return Optional.empty();
    }

    private List<String> trace(int end) {
        List<String> labels = new ArrayList<>();
        for (int at = end; at != 0; at = parents[at]) {
            long[] wanted = state(at);
            List<String> found = new ArrayList<>();
            model.steps(state(parents[at]), (label, next) -> {
                if (Arrays.equals(next, wanted)) {
                    found.add(label);
                }
            });
            labels.add(found.get(0));
        }
        Collections.reverse(labels);
        return labels;
    }

    private int visit(long[] state, int parent) {
        int slot = slotOf(state);
        if (slots[slot] != FREE) {
            return slots[slot];
        }
        if (count == limit) {
            throw new IllegalStateException("more than " + limit + " states: choose a smaller scope");
        }
        if (count + 1 >= parents.length) {
            grow();
            slot = slotOf(state);
        }
        slots[slot] = count;
        System.arraycopy(state, 0, states, count * width, width);
        parents[count] = parent;
        return count++;
    }

    private int slotOf(long[] state) {
        int slot = hash(state, 0) & (slots.length - 1);
        while (slots[slot] != FREE && !same(slots[slot], state)) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private void grow() {
        int room = parents.length * 2;
        states = Arrays.copyOf(states, room * width);
        parents = Arrays.copyOf(parents, room);
        firstEdge = Arrays.copyOf(firstEdge, room + 1);
        slots = new int[room * 2];
        Arrays.fill(slots, FREE);
        for (int at = 0; at < count; at++) {
            int slot = hash(states, at * width) & (slots.length - 1);
            while (slots[slot] != FREE) {
                slot = (slot + 1) & (slots.length - 1);
            }
            slots[slot] = at;
        }
    }

    private void edge(int target) {
        if (edgeCount == edges.length) {
            edges = Arrays.copyOf(edges, edges.length * 2);
        }
        edges[edgeCount++] = target;
    }

    private int hash(long[] words, int offset) {
        long hash = 0;
        for (int i = 0; i < width; i++) {
            hash = (hash ^ words[offset + i]) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return (int) (hash ^ (hash >>> 32));
    }

    private boolean same(int at, long[] state) {
        for (int i = 0; i < width; i++) {
            if (states[at * width + i] != state[i]) {
                return false;
            }
        }
        return true;
    }

    private long[] state(int at) {
        return Arrays.copyOfRange(states, at * width, (at + 1) * width);
    }
}
