package io.shardwright.controllers.world;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A wall clock that can be set, and goes on from there. */
public final class ShiftedClock extends Clock {
    private volatile Duration shift = Duration.ZERO;

    public void shows(Instant time) {
        shift = Duration.between(Instant.now(), time);
    }

    @Override
    public Instant instant() {
        return Instant.now().plus(shift);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("nobody asks for the time of a zone");
    }
}
