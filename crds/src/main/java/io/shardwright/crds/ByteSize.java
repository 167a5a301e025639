package io.shardwright.crds;

/** Sizes as specs write them, the whole ones of Kubernetes with binary units: {@code 50Mi}, {@code 500Gi}, {@code 1048576}. */
public final class ByteSize {
    /** Schema pattern of every size; none is zero, and none too large to be counted in bytes. */
    public static final String PATTERN = "^[1-9][0-9]{0,5}(Ki|Mi|Gi|Ti)$|^[1-9][0-9]{0,17}$";

    private ByteSize() {}

    /** @throws IllegalArgumentException when the text is no size */
    public static long parse(String text) {
        if (!text.matches(PATTERN)) {
            throw new IllegalArgumentException("a size is written like 50Mi or 500Gi, not '" + text + "'");
        }
        int unit = "KMGT".indexOf(text.charAt(Math.max(0, text.length() - 2)));
        return unit < 0
                ? Long.parseLong(text)
                : Long.parseLong(text.substring(0, text.length() - 2)) << (10 * (unit + 1));
    }
}
