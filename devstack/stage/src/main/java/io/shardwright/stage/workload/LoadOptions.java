package io.shardwright.stage.workload;

import java.util.List;

/**
 * The command line of a sample router.
 *
 * @param router number of this router, no other has it; goes into the ledger's ids and the names of rows
 * @param rate operations per second that this process begins
 * @param autocommitShare of the operations, 0..1; the others are explicit transactions
 */
record LoadOptions(int router, double rate, int buckets, int tenantsPerBucket, double autocommitShare) {
    LoadOptions {
        if (rate <= 0 || buckets < 1 || tenantsPerBucket < 1 || autocommitShare < 0 || autocommitShare > 1) {
            throw new IllegalArgumentException(
                    "rate, buckets and tenants are positive, the share of autocommit is 0..1");
        }
    }

    /** @throws IllegalArgumentException with the name of the option that is unknown or has no value */
    static LoadOptions parse(List<String> arguments) {
        LoadOptions options = new LoadOptions(0, 60, 100, 4, 0.5);
        if (arguments.size() % 2 != 0) {
            throw new IllegalArgumentException("every option has a value: " + arguments);
        }
        for (int i = 0; i < arguments.size(); i += 2) {
            options = options.with(arguments.get(i), arguments.get(i + 1));
        }
        return options;
    }

    private LoadOptions with(String option, String value) {
        return switch (option) {
            case "--router" ->
                new LoadOptions(Integer.parseInt(value), rate, buckets, tenantsPerBucket, autocommitShare);
            case "--rate" ->
                new LoadOptions(router, Double.parseDouble(value), buckets, tenantsPerBucket, autocommitShare);
            case "--buckets" ->
                new LoadOptions(router, rate, Integer.parseInt(value), tenantsPerBucket, autocommitShare);
            case "--tenants-per-bucket" ->
                new LoadOptions(router, rate, buckets, Integer.parseInt(value), autocommitShare);
            case "--autocommit-share" ->
                new LoadOptions(router, rate, buckets, tenantsPerBucket, Double.parseDouble(value));
            default ->
                throw new IllegalArgumentException("unknown option " + option
                        + "; known: --router --rate --buckets --tenants-per-bucket --autocommit-share");
        };
    }
}
