package io.shardwright.dataplane;

/**
 * A shard did not do what was asked. The message says what was seen and what to do, without secrets.
 */
public class ShardException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean lasting;

    /** @param lasting true when repeating cannot help before somebody changes something */
    public ShardException(String message, boolean lasting, Throwable cause) {
        super(message, cause);
        this.lasting = lasting;
    }

    public boolean lasting() {
        return lasting;
    }
}
