package io.shardwright.stage;

import java.util.List;

/** Closes parts in order; one that fails does not keep the others open, and its failure is told at the end. */
final class Closing {
    private Closing() {}

    /** @param parts null for a part that never came up */
    static void all(List<AutoCloseable> parts) {
        IllegalStateException failure = null;
        for (var part : parts) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception e) {
                failure = failure == null ? new IllegalStateException("not everything could be closed") : failure;
                failure.addSuppressed(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
