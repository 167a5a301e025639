package io.shardwright.e2e.demo;

import io.shardwright.stage.Stage;

/** What the chapters of the demo left to be judged. */
public record PlayedDemo(MainJobResult result, DemoReport report) {
    private static final int SHARDS_AFTER_THE_MAIN_JOB = 5;

    /** The main job, a move that is taken back, and a key that is isolated and goes home. */
    public static PlayedDemo allChapters(Stage stage, Narrator narrator) {
        var reversal = new ReversalChapter(stage, narrator);
        var hotKey = new HotKeyChapter(stage, narrator, SHARDS_AFTER_THE_MAIN_JOB);
        MainJobResult result = new MainJob(stage, narrator).run(load -> {
            hotKey.begin(load);
            reversal.play(load);
            hotKey.play(load);
        });
        return new PlayedDemo(result, result.report(reversal.told(), hotKey.told()));
    }

    /** The main job, and a move that is taken back. */
    public static PlayedDemo withoutTheHotKey(Stage stage, Narrator narrator) {
        var reversal = new ReversalChapter(stage, narrator);
        MainJobResult result = new MainJob(stage, narrator).run(reversal::play);
        return new PlayedDemo(result, result.report(reversal.told(), null));
    }
}
