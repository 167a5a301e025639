package io.shardwright.servers.faults;

import java.nio.charset.StandardCharsets;

/** What the API server answers when it does not do what is asked. */
record Refusal(int code, String reason) {
    static final Refusal CONFLICT = new Refusal(409, "Conflict");
    static final Refusal TOO_MANY_REQUESTS = new Refusal(429, "TooManyRequests");
    static final Refusal SERVER_ERROR = new Refusal(500, "InternalError");
    static final Refusal EXPIRED = new Refusal(410, "Expired");

    byte[] body() {
        return status().getBytes(StandardCharsets.UTF_8);
    }

    /** How a watch says it, in its last line. */
    String event() {
        return "{\"type\":\"ERROR\",\"object\":" + status() + "}";
    }

    private String status() {
        return """
                {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
                "message":"a fault of the proxy","reason":"%s","code":%d}""".formatted(reason, code);
    }
}
