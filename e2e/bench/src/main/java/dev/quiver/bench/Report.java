package dev.quiver.bench;

import java.util.List;

/**
 * The results of a benchmark.
 *
 * @param text conditions of its own, tables and remarks, for people
 * @param figures for programs, in the order in which they are printed
 */
public record Report(List<String> text, List<Figure> figures) {

    public Report {
        text = List.copyOf(text);
        figures = List.copyOf(figures);
    }
}
