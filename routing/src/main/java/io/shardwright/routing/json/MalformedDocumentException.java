package io.shardwright.routing.json;

/** A text that is no JSON, or JSON that is not the document it should be. The message names the field. */
public class MalformedDocumentException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    public MalformedDocumentException(String message) {
        super(message);
    }

    public MalformedDocumentException(String message, Throwable cause) {
        super(message, cause);
    }
}
