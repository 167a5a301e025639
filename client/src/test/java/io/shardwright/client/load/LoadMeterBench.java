package io.shardwright.client.load;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** Prints what counting costs a statement, while eight threads count for few keys and for many. Run it by hand. */
final class LoadMeterBench {
    private static final int THREADS = 8;
    private static final int COUNTS = 2_000_000;

    /** Of so many one is timed alone: the clock costs about as much as what it times. */
    private static final int TIMED = 16;

    private LoadMeterBench() {}

    public static void main(String[] arguments) throws InterruptedException {
        for (int keys : new int[] {100, 1_000_000}) {
            run(keys); // warms up
            System.out.println(keys + " keys: " + run(keys));
        }
    }

    private static String run(int keys) throws InterruptedException {
        String[] texts = IntStream.range(0, keys).mapToObj(Integer::toString).toArray(String[]::new);
        var meter = new LoadMeter(System::nanoTime);
        var ready = new CountDownLatch(THREADS);
        long[][] timed = new long[THREADS][];
        long[] bytes = new long[THREADS];
        Thread[] threads = new Thread[THREADS];
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            threads[i] = new Thread(() -> {
                ready.countDown();
                await(ready);
                var beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
                long before = beans.getCurrentThreadAllocatedBytes();
                long[] nanos = count(meter, texts, number);
                bytes[number] = beans.getCurrentThreadAllocatedBytes() - before - 8L * nanos.length;
                timed[number] = nanos;
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        long[] all = Arrays.stream(timed).flatMapToLong(Arrays::stream).sorted().toArray();
        return "p50 %d ns, p99 %d ns, with the clock; %.1f bytes"
                .formatted(
                        all[all.length / 2],
                        all[all.length / 100 * 99],
                        Arrays.stream(bytes).sum() / (double) THREADS / COUNTS);
    }

    private static long[] count(LoadMeter meter, String[] keys, int thread) {
        long[] nanos = new long[COUNTS / TIMED];
        int at = thread * 7_919;
        for (int i = 0; i < COUNTS; i++) {
            at = (at + 7_907) % keys.length;
            if (i % TIMED == 0) {
                long began = System.nanoTime();
                meter.count("ds-0", keys[at], 1_000_000);
                nanos[i / TIMED] = System.nanoTime() - began;
            } else {
                meter.count("ds-0", keys[at], 1_000_000);
            }
        }
        return nanos;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
