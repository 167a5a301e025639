package io.shardwright.stage;

/** Hears what the stage does while it does it, for a person who waits. */
@FunctionalInterface
public interface StageListener {
    /** One finished or beginning piece of work, in words: {@code "5 PostgreSQL servers"}. */
    void says(String text);

    /** For tests, which tell their story by their names. */
    static StageListener silent() {
        return text -> {};
    }
}
