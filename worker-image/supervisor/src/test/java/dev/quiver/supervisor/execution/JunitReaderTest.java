package dev.quiver.supervisor.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.lifecycle.execution.Utf8;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.TrialRow;
import dev.quiver.lifecycle.history.TrialStatus;

/** Reports as the usual programs write them, and as nobody should. */
class JunitReaderTest {

    private static JunitReport read(String report) throws InvalidReportException {
        return JunitReader.read(report.getBytes(StandardCharsets.UTF_8));
    }

    private static void assertRefused(byte[] report, String... words) {
        assertThatThrownBy(() -> JunitReader.read(report))
                .isInstanceOf(InvalidReportException.class)
                .message()
                .contains(words)
                .hasSizeLessThan(300);
    }

    private static void assertRefused(String report, String... words) {
        assertRefused(report.getBytes(StandardCharsets.UTF_8), words);
    }

    @Test
    void readsPytest() throws InvalidReportException {
        JunitReport report = read("""
                <?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1"
                failures="1" skipped="2" tests="5" time="0.083" timestamp="2026-11-26T15:00:00" hostname="h">
                <testcase classname="tests.test_a" name="test_good" time="0.001"><system-out>line
                </system-out></testcase>
                <testcase classname="tests.test_a" name="test_bad[a&quot;b]" time="0.002"><failure
                message="AssertionError: assert 1 == 2">def test_bad():
                &gt; assert 1 == 2</failure></testcase>
                <testcase classname="tests.test_a" name="test_fixture" time="0.003"><error message="failed on setup
                with &quot;boom&quot;">trace</error></testcase>
                <testcase classname="tests.test_a" name="test_later" time="0.0"><skipped type="pytest.skip"
                message="not here">tests/test_a.py:9: not here</skipped></testcase>
                <testcase classname="tests.test_a" name="test_x" time="0.0"><skipped type="pytest.xfail" message=""/>
                </testcase></testsuite></testsuites>
                """);
        assertThat(report.counts()).isEqualTo(new TrialRow.Counts(1, 2, 2));
        assertThat(report.cases())
                .containsExactly(
                        new TrialRow.Case(
                                "tests.test_a.test_bad[a\"b]", TrialStatus.FAILED, 2, "AssertionError: assert 1 == 2"),
                        new TrialRow.Case(
                                "tests.test_a.test_fixture",
                                TrialStatus.ERROR,
                                3,
                                "failed on setup                 with \"boom\"".replaceAll(" +with", " with")),
                        new TrialRow.Case("tests.test_a.test_later", TrialStatus.PENDING, 0, "not here"),
                        new TrialRow.Case("tests.test_a.test_x", TrialStatus.PENDING, 0, "pytest.xfail"));
    }

    @Test
    void readsSurefire() throws InvalidReportException {
        JunitReport report = read("""
                <testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="a.FooTest" time="1,234.5" tests="4">
                  <properties><property name="java.version" value="25"/></properties>
                  <testcase name="flaky" classname="a.FooTest" time="0,5"><flakyFailure message="once" type="E">
                    <stackTrace><![CDATA[at a.FooTest]]></stackTrace></flakyFailure></testcase>
                  <testcase name="bad" classname="a.FooTest" time="1,234.5">
                    <failure type="org.opentest4j.AssertionFailedError"><![CDATA[expected: <1> but was: <2>
                at a.FooTest.bad(FooTest.java:7)]]></failure>
                    <system-err><![CDATA[<failure/>]]></system-err>
                  </testcase>
                  <testcase name="again" classname="a.FooTest" time="0"><failure message="no"/><rerunFailure
                    message="no"/></testcase>
                  <testcase name="off" classname="a.FooTest"><skipped message="later"/></testcase>
                </testsuite>
                """);
        assertThat(report.counts()).isEqualTo(new TrialRow.Counts(1, 1, 2));
        assertThat(report.cases().getFirst().runMillis()).isEqualTo(1_234_500);
        assertThat(report.cases().getFirst().message()).startsWith("expected: <1> but was: <2>\nat a.FooTest");
    }

    @Test
    void readsJest() throws InvalidReportException {
        JunitReport report = read("""
                <testsuites name="jest tests" tests="2" failures="1" errors="0" time="1.2">
                <testsuite name="adds" errors="0" failures="1" skipped="1" timestamp="t" time="0.6" tests="2">
                <testcase classname="adds 1 and 2" name="adds 1 and 2" time="0.003"><failure>Error: expect(received)
                </failure></testcase>
                <testcase classname="adds later" name="adds later" time="0"><skipped/></testcase>
                </testsuite></testsuites>
                """);
        assertThat(report.cases())
                .containsExactly(
                        new TrialRow.Case("adds 1 and 2", TrialStatus.FAILED, 3, "Error: expect(received)"),
                        new TrialRow.Case("adds later", TrialStatus.PENDING, 0, ""));
    }

    @Test
    void readsGoAndGoogleTest() throws InvalidReportException {
        JunitReport go = read("""
                <testsuites tests="2" failures="1"><testsuite name="pkg/a" tests="2" failures="1" id="0" time="0.1">
                <properties><property name="go.version" value="1.24"/></properties>
                <testcase name="TestAdd" classname="pkg/a" time="0.06"/>
                <testcase name="TestSub/neg" classname="pkg/a" time="0.1"><failure message="Failed">
                sub_test.go:11: wrong</failure></testcase></testsuite></testsuites>
                """);
        assertThat(go.cases())
                .containsExactly(new TrialRow.Case("pkg/a.TestSub/neg", TrialStatus.FAILED, 100, "Failed"));
        JunitReport google = read("""
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites tests="3" failures="1" disabled="1" errors="0" time="0.01" name="AllTests">
                <testsuite name="Math" tests="3"><testcase name="Adds" status="run" result="completed" time="0."
                 classname="Math"/><testcase name="DISABLED_Divides" status="notrun" result="suppressed" time="0."
                 classname="Math"/><testcase name="Subtracts" status="run" result="completed" time="0.007"
                 classname="Math"><failure message="m.cc:7&#x0A;Expected equality" type=""><![CDATA[m.cc:7]]></failure>
                 </testcase></testsuite></testsuites>
                """);
        assertThat(google.counts()).isEqualTo(new TrialRow.Counts(1, 1, 1));
        assertThat(google.firstFailed())
                .contains(new TrialRow.Case("Math.Subtracts", TrialStatus.FAILED, 7, "m.cc:7\nExpected equality"));
    }

    @Test
    void suitesMayStandWithinSuitesAndAttributesMayBeMissing() throws InvalidReportException {
        JunitReport report =
                read("<testsuites><testsuite><testsuite><testcase/><testcase><failure/></testcase></testsuite>"
                        + "<testcase name='x'><skipped/><failure message='both'/><error/></testcase>"
                        + "</testsuite></testsuites>");
        assertThat(report.counts()).isEqualTo(new TrialRow.Counts(1, 0, 2));
        assertThat(report.cases())
                .containsExactly(
                        new TrialRow.Case("case 2", TrialStatus.FAILED, 0, ""),
                        new TrialRow.Case("x", TrialStatus.FAILED, 0, "both"));
        assertThat(read("<testsuite/>").size()).isZero();
    }

    @Test
    void aFailureBehindManySkippedCasesIsKept() throws InvalidReportException {
        JunitReport report = read("<testsuite>" + "<testcase><skipped/></testcase>".repeat(100)
                + "<testcase name='last'><failure/></testcase></testsuite>");
        assertThat(report.cases()).hasSize(HistoryBounds.CASES);
        assertThat(report.cases().getFirst().name()).isEqualTo("last");
        assertThat(report.counts()).isEqualTo(new TrialRow.Counts(0, 100, 1));
        JunitReport bad = read("<testsuite>" + "<testcase><error/></testcase>".repeat(100) + "</testsuite>");
        assertThat(bad.cases()).hasSize(HistoryBounds.CASES);
        assertThat(bad.counts().failed()).isEqualTo(100);
    }

    @Test
    void namesAndMessagesAreShortAndCanBeSeen() throws InvalidReportException {
        JunitReport report = read("<testsuite><testcase classname='" + "é".repeat(5000)
                + "' name='n'><failure message='"
                + "漢".repeat(5000) + "'/></testcase><testcase name='a&#10;b\u202e'><failure>" + "x".repeat(100_000)
                + "</failure></testcase></testsuite>");
        assertThat(Utf8.length(report.cases().getFirst().name())).isBetween(200, HistoryBounds.CASE_NAME_BYTES);
        assertThat(Utf8.length(report.cases().getFirst().message())).isBetween(500, HistoryBounds.MESSAGE_BYTES);
        assertThat(report.cases().getLast().name()).isEqualTo("a\nb\\u202e");
        assertThat(report.cases().getLast().message()).hasSizeBetween(500, 512);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0.001;1",
                "1;1000",
                "0,25;250",
                "1,234.5;1234500",
                "1,234,567;1234567000",
                "1.234,5;1234500",
                "'';0",
                "NaN;0",
                "-1;0",
                "1e400;0",
                "x;0",
                "999999999999999999999999999999999;0"
            })
    void timesAreSecondsInAnyCountrysForm(String seconds, long millis) {
        assertThat(JunitTime.millis(seconds)).isEqualTo(millis);
        assertThat(JunitTime.millis(null)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16", "ISO-8859-1", "windows-1252"})
    void anEncodingThatTheReportNamesIsItsEncoding(String encoding) throws InvalidReportException {
        byte[] report = ("<?xml version='1.0' encoding='" + encoding
                        + "'?><testsuite><testcase name='é'><failure/></testcase></testsuite>")
                .getBytes(Charset.forName(encoding));
        assertThat(JunitReader.read(report).cases().getFirst().name()).isEqualTo("é");
    }

    @Test
    void aDocumentTypeIsRefusedWhateverIsInIt() {
        String entities = "<!ENTITY a '" + "x".repeat(1000) + "'><!ENTITY b '" + "&a;".repeat(1000) + "'><!ENTITY c '"
                + "&b;".repeat(1000) + "'>";
        String laughs = "<?xml version='1.0'?>\n<!DOCTYPE testsuite [" + entities
                + "]>\n<testsuite><testcase name='&c;'/></testsuite>";
        assertThat(java.util.concurrent.CompletableFuture.runAsync(
                        () -> assertRefused(laughs, "line ", "document type")))
                .succeedsWithin(Duration.ofMinutes(1));
        assertRefused(
                "<!DOCTYPE testsuite SYSTEM 'http://127.0.0.1:1/x.dtd'><testsuite/>", "document type is not allowed");
        assertRefused(
                "<!DOCTYPE t [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><testsuite><testcase name='x'>"
                        + "<failure>&f;</failure></testcase></testsuite>",
                "document type is not allowed");
    }

    @Test
    void whatIsNoReportIsRefusedWithItsPlace() {
        assertRefused("", "line 1");
        assertRefused("FAILED tests/test_a.py", "line 1, column 1: ");
        assertRefused("<html><body/></html>", "line 1, column 7: the root is <html>");
        assertRefused("<testsuite>\n<testcase name='a'>\n<fail", "line 3, column ");
        assertRefused("<testsuite><testcase name='a\u0001'/></testsuite>", "line 1, column ");
        assertRefused("<testsuite><testcase name='&who;'/></testsuite>", "line 1, column ", "who");
        assertRefused("<testsuite><testcase><failure>&who;</failure></testcase></testsuite>", "line 1, column ", "who");
        assertRefused("<testsuite><testcase><testcase/></testcase></testsuite>", "a case stands within another one");
        assertRefused(
                "<testsuite><testcase><failure><testcase/></failure></testcase></testsuite>",
                "a case stands within another one");
        assertRefused("<testsuite/><testsuite/>", "line 1, column ");
        assertRefused("<?xml version='1.0' encoding='no-such'?><testsuite/>", "no-such");
    }

    @Test
    void invalidUtf8IsRefused() {
        byte[] report = "<testsuite><testcase name='??'/></testsuite>".getBytes(StandardCharsets.UTF_8);
        report[27] = (byte) 0xc3;
        report[28] = (byte) 0x28;
        assertRefused(report, "line 1, column ", "UTF-8");
    }

    @Test
    void whatIsTooLargeIsRefused() throws InvalidReportException {
        assertRefused(new byte[JunitReport.MAX_BYTES + 1], "1048577 bytes, at most 1048576");
        String most = "<testcase/>".repeat(JunitReport.MAX_CASES);
        assertThat(read("<testsuite>" + most + "</testsuite>").size()).isEqualTo(JunitReport.MAX_CASES);
        assertRefused("<testsuite>" + most + "<testcase/></testsuite>", "more than 10000 cases");
    }

    @Test
    void suitesThatGoDeepAndTagsOfManyAttributesEndInWords() {
        String deep = "<testsuite>".repeat(90_000);
        assertRefused(deep, "line 1");
        StringBuilder wide = new StringBuilder("<testsuite");
        for (int i = 0; i < 50_000; i++) {
            wide.append(" a").append(i).append("=''");
        }
        assertRefused(wide.append("/>").toString(), "line 1");
        assertRefused("<" + "n".repeat(500_000) + "/>", "line 1");
    }
}
