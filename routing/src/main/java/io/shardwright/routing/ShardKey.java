package io.shardwright.routing;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One shard key in canonical text. Two spellings of the same key (42 and "42", upper and lower case of a UUID) are equal
 * here, so they meet in the same bucket in every language.
 *
 * @param type the key type of the cluster
 * @param text canonical text: Int64 decimal without leading zeros or plus; String as given; UUID lower case 8-4-4-4-12
 */
public record ShardKey(KeyType type, String text) {
    private static final Pattern DECIMAL = Pattern.compile("-?[0-9]{1,20}");
    private static final Pattern CANONICAL_UUID =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    /**
     * @param value a Number without fraction, a CharSequence or a java.util.UUID
     * @throws UnroutableKeyException when the value is null or is no key of this type; there is no default shard
     */
    public static ShardKey of(KeyType type, Object value) {
        if (value == null) {
            throw new UnroutableKeyException("the shard key is null: give a key of type " + type.wire());
        }
        return new ShardKey(
                type,
                switch (type) {
                    case INT64 -> int64(value);
                    case STRING -> string(value);
                    case UUID -> uuid(value);
                });
    }

    private static String int64(Object value) {
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return Long.toString(((Number) value).longValue());
        }
        String text = value.toString();
        if (value instanceof CharSequence && DECIMAL.matcher(text).matches()) {
            try {
                return Long.toString(Long.parseLong(text));
            } catch (NumberFormatException outOfRange) {
                throw refusal(KeyType.INT64, value);
            }
        }
        throw refusal(KeyType.INT64, value);
    }

    private static String string(Object value) {
        if (value instanceof CharSequence && value.toString().codePoints().noneMatch(ShardKey::hasNoText)) {
            return value.toString();
        }
        throw refusal(KeyType.STRING, value);
    }

    /** U+0000, which PostgreSQL cannot store, and half a character, which UTF-8 cannot write. */
    private static boolean hasNoText(int codePoint) {
        return codePoint == 0 || codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    private static String uuid(Object value) {
        String text = value.toString().toLowerCase(Locale.ROOT);
        if ((value instanceof java.util.UUID || value instanceof CharSequence)
                && CANONICAL_UUID.matcher(text).matches()) {
            return text;
        }
        throw refusal(KeyType.UUID, value);
    }

    private static UnroutableKeyException refusal(KeyType type, Object value) {
        return new UnroutableKeyException("a value of " + value.getClass().getSimpleName() + " is no shard key of type "
                + type.wire() + ": check the type of the key column");
    }
}
