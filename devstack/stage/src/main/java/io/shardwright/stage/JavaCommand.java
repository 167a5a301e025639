package io.shardwright.stage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a Java process that runs with this JVM's Java. */
public record JavaCommand(List<String> jvmArguments, String classPath, String mainClass, List<String> arguments) {
    /** A main class of this JVM's own class path. */
    public static JavaCommand ofOwnClassPath(String mainClass, List<String> jvmArguments, List<String> arguments) {
        // under surefire the plain property names a jar that lives as long as the test run; the real path is kept
        // beside
        var path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new JavaCommand(jvmArguments, path, mainClass, arguments);
    }

    public List<String> words() {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(jvmArguments);
        words.add("-cp");
        words.add(classPath);
        words.add(mainClass);
        words.addAll(arguments);
        return List.copyOf(words);
    }
}
