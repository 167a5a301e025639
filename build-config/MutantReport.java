import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Reads PIT's report of each room and prints its score and the mutants that survived, by class. Run as a single source file
 * with the rooms as arguments; exit code 1 when a room has no report. The threshold is PIT's own business (pom.xml).
 */
class MutantReport {
    record Mutant(boolean killed, String type, int line, String change, boolean covered) {}

    public static void main(String[] rooms) throws Exception {
        boolean complete = true;
        for (String room : rooms) {
            Path report = Path.of(room, "target", "pit-reports", "mutations.xml");
            if (!Files.exists(report)) {
                System.out.printf("%n%s: not run, PIT has left no report%n", room);
                complete = false;
                continue;
            }
            print(room, read(report));
        }
        System.exit(complete ? 0 : 1);
    }

    private static void print(String room, List<Mutant> mutants) {
        long killed = mutants.stream().filter(Mutant::killed).count();
        System.out.printf("%n%s: %d of %d mutants killed, %.1f %%%n", room, killed, mutants.size(),
                mutants.isEmpty() ? 0 : 100.0 * killed / mutants.size());
        Map<String, List<Mutant>> survivors = mutants.stream()
                .filter(mutant -> !mutant.killed())
                .sorted(Comparator.comparingInt(Mutant::line))
                .collect(Collectors.groupingBy(Mutant::type, TreeMap::new, Collectors.toList()));
        survivors.forEach((type, own) -> {
            System.out.printf("  %s: %d survived%n", type, own.size());
            own.forEach(mutant -> System.out.printf("    line %d: %s%s%n", mutant.line(), mutant.change(),
                    mutant.covered() ? "" : " (no test comes here)"));
        });
    }

    private static List<Mutant> read(Path report) throws Exception {
        var nodes = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report.toFile())
                .getElementsByTagName("mutation");
        return IntStream.range(0, nodes.getLength()).mapToObj(i -> mutant((Element) nodes.item(i))).toList();
    }

    private static Mutant mutant(Element mutation) {
        String type = text(mutation, "mutatedClass");
        return new Mutant(mutation.getAttribute("detected").equals("true"), type.substring(type.lastIndexOf('.') + 1),
                Integer.parseInt(text(mutation, "lineNumber")),
                text(mutation, "mutatedMethod") + ", " + text(mutation, "description"),
                !mutation.getAttribute("status").equals("NO_COVERAGE"));
    }

    private static String text(Element mutation, String name) {
        return mutation.getElementsByTagName(name).item(0).getTextContent();
    }
}
