package dev.quiver.supervisor.execution;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * Reads JUnit XML as pytest, Surefire, jest, go-junit-report and GoogleTest write it: suites within suites or none, and
 * attributes that are missing. A tenant wrote it. So a document type is refused before anything in it is read, and no
 * entity but those of XML itself has a meaning. A large report leaves no more here than a small one. Not thread-safe.
 */
final class JunitReader {

    private static final Set<String> ROOTS = Set.of("testsuites", "testsuite");
    private static final String CASE = "testcase";
    /** GoogleTest says so of a case that it left out. */
    private static final Set<String> LEFT_OUT = Set.of("notrun", "disabled", "skipped");

    private static final int LONGEST_TEXT = 1024;
    private static final XMLInputFactory FACTORY = factory();

    private final XMLStreamReader from;
    private final List<TrialRow.Case> failed = new ArrayList<>();
    private final List<TrialRow.Case> skipped = new ArrayList<>();
    private int cases;
    private int failures;
    private int pending;

    private JunitReader(XMLStreamReader from) {
        this.from = from;
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, false);
        factory.setXMLReporter((message, type, about, at) -> {}); // else the parser prints what tenants wrote
        return factory;
    }

    /**
     * Reads a report of at most {@link JunitReport#MAX_BYTES}.
     *
     * @throws InvalidReportException when it is none; the message has line and column
     */
    static JunitReport read(byte[] report) throws InvalidReportException {
        if (report.length > JunitReport.MAX_BYTES) {
            throw tooLarge(report.length);
        }
        Optional<String> noUtf8 = Utf8Fault.in(report);
        if (noUtf8.isPresent()) {
            throw new InvalidReportException(noUtf8.get());
        }
        XMLStreamReader from = null;
        try {
            from = FACTORY.createXMLStreamReader(new ByteArrayInputStream(report));
            return new JunitReader(from).report();
        } catch (XMLStreamException senseless) {
            Location known = senseless.getLocation();
            boolean nowhere = known == null || known.getLineNumber() < 1;
            throw new InvalidReportException(
                    place(nowhere && from != null ? from.getLocation() : known) + words(senseless));
        } catch (RuntimeException fault) { // the parser's own: no input of a tenant may end this process
            throw new InvalidReportException("it cannot be read: " + PrintableText.line("" + fault.getMessage(), 200));
        }
    }

    static InvalidReportException tooLarge(long bytes) {
        return new InvalidReportException("it has " + bytes + " bytes, at most " + JunitReport.MAX_BYTES + " are read");
    }

    private JunitReport report() throws XMLStreamException, InvalidReportException {
        boolean root = false;
        while (from.hasNext()) {
            switch (from.next()) {
                case XMLStreamConstants.DTD -> throw invalid("a document type is not allowed");
                case XMLStreamConstants.ENTITY_REFERENCE ->
                    throw invalid("the entity " + PrintableText.line("" + from.getLocalName(), 64) + " is not known");
                case XMLStreamConstants.START_ELEMENT -> {
                    String name = from.getLocalName();
                    if (!root && !ROOTS.contains(name)) {
                        throw invalid("the root is <" + PrintableText.line(name, 64)
                                + ">, a report begins with <testsuites> or <testsuite>");
                    }
                    root = true;
                    if (name.equals(CASE)) {
                        add();
                    }
                }
                default -> {
                    // What stands between cases says nothing of them.
                }
            }
        }
        return summary();
    }

    private JunitReport summary() {
        List<TrialRow.Case> kept = new ArrayList<>(failed);
        kept.addAll(skipped.subList(0, Math.min(skipped.size(), HistoryBounds.CASES - failed.size())));
        return new JunitReport(new TrialRow.Counts(cases - pending - failures, pending, failures), kept);
    }

    /** Reads the case that begins here up to its end. */
    private void add() throws XMLStreamException, InvalidReportException {
        if (++cases > JunitReport.MAX_CASES) {
            throw invalid("there are more than " + JunitReport.MAX_CASES + " cases");
        }
        String name = name();
        long ran = JunitTime.millis(from.getAttributeValue(null, "time"));
        TrialStatus status = leftOut() ? TrialStatus.PENDING : TrialStatus.PASSED;
        String message = "";
        int depth = 1;
        while (depth > 0) {
            switch (from.next()) {
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.ENTITY_REFERENCE ->
                    throw invalid("the entity " + PrintableText.line("" + from.getLocalName(), 64) + " is not known");
                case XMLStreamConstants.START_ELEMENT -> {
                    depth++;
                    if (from.getLocalName().equals(CASE)) {
                        throw invalid("a case stands within another one");
                    }
                    TrialStatus said = depth == 2 ? outcome(from.getLocalName()) : TrialStatus.PASSED;
                    if (weight(said) > weight(status)) {
                        status = said;
                        message = message(); // reads to the end of the element
                        depth--;
                    }
                }
                default -> {
                    // Output of the case, which the worker keeps anyway.
                }
            }
        }
        count(new TrialRow.Case(name, status, ran, message));
    }

    private void count(TrialRow.Case read) {
        switch (read.status()) {
            case PASSED -> {}
            case PENDING -> {
                pending++;
                keep(skipped, read);
            }
            default -> {
                failures++;
                keep(failed, read);
            }
        }
    }

    private static void keep(List<TrialRow.Case> list, TrialRow.Case read) {
        if (list.size() < HistoryBounds.CASES) {
            list.add(read);
        }
    }

    private static TrialStatus outcome(String element) {
        return switch (element) {
            case "failure" -> TrialStatus.FAILED;
            case "error" -> TrialStatus.ERROR;
            case "skipped" -> TrialStatus.PENDING;
            default -> TrialStatus.PASSED;
        };
    }

    /** A case that failed and then had an error failed; whatever failed was not skipped. */
    private static int weight(TrialStatus status) {
        return switch (status) {
            case PASSED -> 0;
            case PENDING -> 1;
            case ERROR -> 2;
            default -> 3;
        };
    }

    private boolean leftOut() {
        String status = from.getAttributeValue(null, "status");
        return status != null && LEFT_OUT.contains(status);
    }

    /** The class and the name, as people look for a case; its number where the report has neither. */
    private String name() {
        String own = orEmpty(from.getAttributeValue(null, "name"));
        String within = orEmpty(from.getAttributeValue(null, "classname"));
        String whole = within.isEmpty() || own.equals(within) ? own : own.isEmpty() ? within : within + "." + own;
        return bounded(whole.isEmpty() ? "case " + cases : whole, HistoryBounds.CASE_NAME_BYTES);
    }

    /** The message of this failure, or the beginning of its text, or its type. */
    private String message() throws XMLStreamException, InvalidReportException {
        String said = orEmpty(from.getAttributeValue(null, "message"));
        String type = orEmpty(from.getAttributeValue(null, "type"));
        String text = text();
        String best = !said.isBlank() ? said : !text.isBlank() ? text : type;
        return bounded(best.strip(), HistoryBounds.MESSAGE_BYTES);
    }

    /** The beginning of the text of this element, which is read to its end. */
    private String text() throws XMLStreamException, InvalidReportException {
        StringBuilder text = new StringBuilder();
        int depth = 1;
        while (depth > 0) {
            switch (from.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    depth++;
                    if (from.getLocalName().equals(CASE)) {
                        throw invalid("a case stands within another one");
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> depth--;
                case XMLStreamConstants.ENTITY_REFERENCE ->
                    throw invalid("the entity " + PrintableText.line("" + from.getLocalName(), 64) + " is not known");
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    int room = Math.min(from.getTextLength(), LONGEST_TEXT - text.length());
                    text.append(from.getTextCharacters(), from.getTextStart(), Math.max(0, room));
                }
                default -> {
                    // Comments and the like are no text.
                }
            }
        }
        return text.toString();
    }

    private static String bounded(String text, int most) {
        return Utf8.firstBytes(PrintableText.of(text, most), most);
    }

    private static String orEmpty(String value) {
        return value == null ? "" : value;
    }

    private InvalidReportException invalid(String why) {
        return new InvalidReportException(place(from.getLocation()) + why);
    }

    private static String place(Location at) {
        return at == null || at.getLineNumber() < 1
                ? ""
                : "line " + at.getLineNumber() + ", column " + at.getColumnNumber() + ": ";
    }

    /** The parser's words begin with the place and a name of its own. */
    private static String words(XMLStreamException senseless) {
        String words = "" + senseless.getMessage();
        int own = words.indexOf("Message: ");
        return PrintableText.line((own < 0 ? words : words.substring(own + "Message: ".length())).strip(), 200);
    }
}
