package io.shardwright.crds.shardpolicy;

/**
 * The shape of a cron of five fields, with the range of each number. What no pattern sees, such as the 30th of February or a
 * range that runs backwards, is found by whoever reads it.
 */
final class Cron {
    private static final String MINUTE = "[0-5]?[0-9]";
    private static final String HOUR = "([01]?[0-9]|2[0-3])";
    private static final String DAY = "(0?[1-9]|[12][0-9]|3[01])";
    private static final String MONTH = "(0?[1-9]|1[0-2]|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)";
    private static final String WEEKDAY = "([0-7]|SUN|MON|TUE|WED|THU|FRI|SAT)";

    private static final String STEP = "(/[1-9][0-9]?)?";
    private static final String MINUTES = "([*]|" + MINUTE + "(-" + MINUTE + ")?)" + STEP;
    private static final String HOURS = "([*]|" + HOUR + "(-" + HOUR + ")?)" + STEP;
    private static final String DAYS = "([*]|" + DAY + "(-" + DAY + ")?)" + STEP;
    private static final String MONTHS = "([*]|" + MONTH + "(-" + MONTH + ")?)" + STEP;
    private static final String WEEKDAYS = "([*]|" + WEEKDAY + "(-" + WEEKDAY + ")?)" + STEP;

    static final String PATTERN = "^" + MINUTES + "(," + MINUTES + ")* " + HOURS + "(," + HOURS + ")* " + DAYS + "(,"
            + DAYS + ")* " + MONTHS + "(," + MONTHS + ")* " + WEEKDAYS + "(," + WEEKDAYS + ")*$";

    private Cron() {}
}
