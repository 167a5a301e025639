import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;

/**
 * Reads the XML reports of a test run and prints what they say by tier (docs: CONTRIBUTING.md). Run as a single source file
 * with the wall time in seconds as argument; exit code 1 when tests failed or a tier fell below its floor.
 */
class TestReport {
    record Case(String tier, String name, double seconds, String outcome) {}

    private static final Map<String, Integer> BUDGET_SECONDS =
            Map.of("decision", 150, "golden", 20, "database", 180, "api-server", 180, "end-to-end", 240);

    public static void main(String[] args) throws Exception {
        List<Case> cases = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("."))) {
            for (Path file : files.filter(TestReport::isReport).toList()) {
                read(file, cases);
            }
        }
        Map<String, Integer> floor = floor();
        boolean good = true;
        System.out.printf("%n%-12s %6s %7s %8s %9s %8s%n", "tier", "tests", "failed", "not run", "seconds", "budget");
        for (String tier : List.of("decision", "golden", "database", "api-server", "end-to-end")) {
            List<Case> own = cases.stream().filter(c -> c.tier().equals(tier)).toList();
            long failed = own.stream().filter(c -> c.outcome().equals("failed")).count();
            long skipped = own.stream().filter(c -> c.outcome().equals("skipped")).count();
            long ran = own.size() - skipped;
            double seconds = own.stream().mapToDouble(Case::seconds).sum();
            int budget = BUDGET_SECONDS.get(tier);
            System.out.printf("%-12s %6d %7d %8d %9.1f %7ds%s%n", tier, ran, failed, skipped, seconds, budget,
                    seconds > 1.5 * budget ? "  over its budget by half: shrink a test or move it to make long" : "");
            if (ran < floor.getOrDefault(tier, 0)) {
                System.out.printf("  the tier has fewer tests than its floor of %d (build-config/test-floor)%n", floor.get(tier));
                good = false;
            }
            good &= failed == 0;
        }
        cases.stream().filter(c -> c.outcome().equals("skipped")).forEach(c -> System.out.println("  not run: " + c.name()));
        cases.stream().filter(c -> c.outcome().equals("failed")).forEach(c -> System.out.println("  FAILED: " + c.name()));
        System.out.println("\nten slowest:");
        cases.stream().sorted(Comparator.comparingDouble(Case::seconds).reversed()).limit(10)
                .forEach(c -> System.out.printf("  %7.1f s  %s%n", c.seconds(), c.name()));
        long failed = cases.stream().filter(c -> c.outcome().equals("failed")).count();
        long skipped = cases.stream().filter(c -> c.outcome().equals("skipped")).count();
        System.out.printf("%nwall time %s s, budget 900 s%n", args.length > 0 ? args[0] : "?");
        System.out.printf("%d passed, %d failed, %d skipped%n", cases.size() - failed - skipped, failed, skipped);
        System.exit(good && !cases.isEmpty() ? 0 : 1);
    }

    private static boolean isReport(Path file) {
        String path = file.toString();
        return path.contains("-reports/TEST-") && path.endsWith(".xml");
    }

    private static void read(Path file, List<Case> cases) throws Exception {
        Element suite = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()).getDocumentElement();
        var nodes = suite.getElementsByTagName("testcase");
        for (int i = 0; i < nodes.getLength(); i++) {
            Element test = (Element) nodes.item(i);
            String type = test.getAttribute("classname");
            String outcome = has(test, "failure") || has(test, "error") ? "failed" : has(test, "skipped") ? "skipped" : "passed";
            String seconds = test.getAttribute("time").replace(",", "");
            cases.add(new Case(tier(type), type.substring(type.lastIndexOf('.') + 1) + "." + test.getAttribute("name"),
                    seconds.isEmpty() ? 0 : Double.parseDouble(seconds), outcome));
        }
    }

    private static boolean has(Element test, String child) {
        return test.getElementsByTagName(child).getLength() > 0;
    }

    /** By room and suffix, as testing.md of the design has it. */
    private static String tier(String type) {
        String room = type.replaceFirst("^io\\.shardwright\\.([a-z0-9]+).*$", "$1");
        if (room.equals("e2e")) {
            return "end-to-end";
        }
        boolean servers = type.endsWith("IT") || type.matches(".*IT[$.].*");
        if (!servers) {
            return List.of("controllers", "operator").contains(room) ? "golden" : "decision";
        }
        return List.of("crds", "controllers", "operator", "plugin").contains(room) ? "api-server" : "database";
    }

    private static Map<String, Integer> floor() throws IOException {
        Map<String, Integer> floor = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("build-config/test-floor"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.trim().split("\\s+");
                floor.put(words[0], Integer.parseInt(words[1]));
            }
        }
        return floor;
    }
}
