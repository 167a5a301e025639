/**
 * How one move goes on: phases, steps, the recovery table, and the planner that chooses the next step from the truth.
 *
 * <p>A move carries a set of buckets from a source S to a target T. Nothing here remembers what has happened; it is read
 * from the fence rows of both databases at every pass, and {@link io.shardwright.planning.moves.RecoveryTable} says what a
 * pair of rows means:
 *
 * <pre>
 *   S row         T row         means            goes on with
 *   OWNED(e)      none          not begun        validate, prepare
 *   OWNED(e)      IMPORTING(e)  being filled     copy, catch up, verify, announce, switch
 *   MOVED(e+1)    IMPORTING(e)  fenced           activate, or decide against it
 *   MOVED(e+1)    OWNED(e+1)    moved            publish, fold, clean up
 *   MOVED(e+1)    ABORTED       decided against  S takes it back with e+2
 *   OWNED         ABORTED       decided against  clean T, end
 *   OWNED         OWNED         a commit lost    close the lower epoch, and wait for a person
 *   OWNED(e+2)    IMPORTING(e)  reclaimed, and T does not know it: as ABORTED
 *   OWNED(e+2)    MOVED(e+2)    the same, T was an owner that was closed
 * </pre>
 *
 * A move that was switched can be taken back until its cleanup begins. It has two legs then: the way there, and the way back,
 * which is a move of its own (m' from T to S) that finds its rows on S, because a stream from T keeps them true from before the
 * first fence on. {@link io.shardwright.planning.moves.MoveObservation.Leg} says which leg is planned; the checks are the same.
 * Each reads the other's rows, too:
 *
 * <pre>
 *   S row            T row          means                   the way there       the way back
 *   MOVED(e+1,m)     OWNED(e+1)     moved, not turned       publish, soak       begins
 *   IMPORTING(m')    OWNED(e+1)     being taken back        turns back          fills, verifies, switches
 *   IMPORTING(m')    MOVED(e+2,m')  fenced                  turns back          activates, or decides against it
 *   ABORTED(m')      MOVED, OWNED   decided against         turns back          T owns it with e+3, then the tombstone again
 *   MOVED(e+3,m)     OWNED(e+3,m')  kept                    publish, clean up   ends
 *   OWNED(e+2,m')    MOVED(e+2,m')  taken back              ends                publish, fold, clean T
 * </pre>
 *
 * {@link io.shardwright.planning.moves.MovePlanner} is an ordered list of small checks over one observation. Three rules
 * give the order. Unknown is never good: with one side unread nothing is decided. What was decided is finished first: an
 * abort, and then a bucket between fence and activation, where nobody can write. And what cannot be taken back waits
 * longest: source rows are deleted only when the soak is over, every live router has acknowledged the folded map for a minute,
 * and both sides were compared once more, not long ago, on truth that was read just before. Then the way back is closed, and
 * only after that the first row goes. A way back that is lost is closed once what has moved is published, in a pause, too,
 * because its slot keeps the log of the only owner.
 *
 * <p>Three things stand outside of that order. A closed owner has rows that are nobody's to delete, so its move waits for a person, but for
 * buckets that nobody owns ({@link io.shardwright.planning.moves.MoveObservation.Truth#demoted}). And where the target is lost
 * between fence and activation, only the word of a person gives the bucket back ({@link
 * io.shardwright.planning.moves.ForcedReclaim}). Where it is the source that takes no writes, the bucket goes on to the target without the
 * stream (RESYNC): no abort could give it back, so none is decided.
 *
 * <p>A move carries buckets or keys, and one table serves both: a key without a fence row of its own is where its bucket is owned. When
 * a key has come to the owner of its bucket, the cleanup takes its rows away; from the point of no return on a key whose source has no
 * row has moved.
 *
 * <p>What is done again and again changes nothing of what is said: reading the fence rows anew, measuring a gate that is
 * shut, trying once more what failed are {@link io.shardwright.planning.moves.MoveDecision.Aside}, beside a wait whose words
 * stay. A status that told each of them would begin its waits anew all the time.
 *
 * <p>The phase of a status is a report of this, for people. A status is stored before its step begins, so a few things of it
 * are believed, and no others:
 *
 * <ul>
 *   <li>the phases before any write (Pending, Validating): nothing was written; Paused proves nothing of the kind;
 *   <li>Aborting: an abort that has begun is finished, whatever is wanted by then, where the source can take back what it has fenced;
 *   <li>Publishing, Reversible, Reversing: every bucket was decided, so what has not moved was decided against and cleaned;
 *   <li>a terminal phase: the move has ended;
 *   <li>{@code reversal.phase}: that the way back has begun, the same of its own phases, and how it ended;
 *   <li>{@code pointOfNoReturn}, of each leg: rows may be gone, so that nothing is taken back;
 *   <li>the reason Diverged of Reversible: both sides differed, so that nothing is deleted before they are found equal;
 *   <li>{@code reversibleUntil}: the soak that people were told is never shortened.
 * </ul>
 */
package io.shardwright.planning.moves;
