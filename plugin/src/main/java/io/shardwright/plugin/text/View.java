package io.shardwright.plugin.text;

/** What a command has found: a record whose components are the answer for programs. */
public interface View {
    /** The answer for people, ended by a line feed. */
    String text();
}
