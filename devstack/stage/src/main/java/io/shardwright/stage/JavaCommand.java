package io.shardwright.stage;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command line of a Java process that runs with this JVM's Java.
 *
 * @param program what is run: {@code -jar} and a file, or {@code -cp}, a path and a main class
 */
public record JavaCommand(List<String> jvmArguments, List<String> program, List<String> arguments) {
    /** A jar as it ships: its manifest says what it needs. */
    public static JavaCommand ofJar(List<String> jvmArguments, Path jar) {
        return new JavaCommand(jvmArguments, List.of("-jar", jar.toString()), List.of());
    }

    public static JavaCommand ofClassPath(
            List<String> jvmArguments, String classPath, String mainClass, List<String> arguments) {
        return new JavaCommand(jvmArguments, List.of("-cp", classPath, mainClass), arguments);
    }

    /** A main class of this JVM's own class path. */
    public static JavaCommand ofOwnClassPath(String mainClass, List<String> jvmArguments, List<String> arguments) {
        // under surefire the plain property names a jar that lives as long as the test run; the real path is kept
        // beside
        var path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return ofClassPath(jvmArguments, absolute(path), mainClass, arguments);
    }

    /** The process has another working directory than this one. */
    private static String absolute(String classPath) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    public List<String> words() {
        var words = new ArrayList<String>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(jvmArguments);
        words.addAll(program);
        words.addAll(arguments);
        return List.copyOf(words);
    }
}
