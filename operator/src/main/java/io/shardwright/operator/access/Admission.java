package io.shardwright.operator.access;

/** The answer at the door, with its reason. Reasons tell a stranger nothing about other people's objects. */
public sealed interface Admission {
    record Admitted(RouterIdentity router) implements Admission {}

    /** 401: the token is not good. */
    record Unauthenticated(String reason) implements Admission {}

    /** 403: the token is good, its owner may not. */
    record Forbidden(String reason) implements Admission {}

    /** 503: nobody can tell now. Unknown is never good. */
    record Unknown(String reason) implements Admission {}
}
