package io.shardwright.routing;

/**
 * What a database says to a router that it does not serve: the DETAIL of SQLSTATE SH409.
 *
 * @param owner hint, may be null
 * @param epoch of the fence row, 0 when there is none
 * @param move id of the move, may be null
 */
public record FenceRefusal(int bucket, FenceState state, String owner, long epoch, String move) {
    public static final String SQL_STATE = "SH409";
}
