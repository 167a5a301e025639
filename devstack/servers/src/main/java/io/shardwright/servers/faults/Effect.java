package io.shardwright.servers.faults;

/**
 * Something that a client asks the server to make durable.
 *
 * @param number from 1, in the order in which the proxy saw them
 * @param session application name, or user agent
 * @param what the statement, or those that write in the transaction that commits; or the call and the object that it is
 *     about; without values, so that two runs of a story say it alike
 * @param occurrence from 1, among those that say the same
 */
public record Effect(int number, String session, String what, int occurrence) {
    /** Two runs of a story number differently as soon as one thread is faster; the name of an effect is the same. */
    public String name() {
        return what + " #" + occurrence;
    }

    @Override
    public String toString() {
        return number + " " + name();
    }
}
