package dev.quiver.lifecycle;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Classes of a module that need each other in a circle, from the compiled classes: imports do not show uses within one
 * package. A class counts with all that is nested in it.
 */
public final class Circles {

    private static final Pattern OURS = Pattern.compile("dev/quiver/[\\w/]+");

    private final Map<String, Set<String>> uses = new TreeMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> path = new ArrayDeque<>();
    private final Set<String> onPath = new HashSet<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Circles() {}

    /**
     * The circles of more classes than {@code most}, each as the simple names of its classes.
     *
     * @param some class of the module
     */
    public static List<Set<String>> of(Class<?> some, int most) throws IOException {
        Circles circles = new Circles();
        Path place = place(some);
        if (Files.isDirectory(place)) {
            circles.read(place);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                circles.read(jar.getPath("/"));
            }
        }
        circles.uses.keySet().forEach(name -> {
            if (!circles.numbers.containsKey(name)) {
                circles.visit(name);
            }
        });
        return circles.found.stream().filter(circle -> circle.size() > most).toList();
    }

    private static Path place(Class<?> some) {
        try {
            return Path.of(
                    some.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private void read(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    files.filter(it -> it.toString().endsWith(".class")).toList()) {
                ClassModel model = ClassFile.of().parse(file);
                String name = outer(model.thisClass().asInternalName());
                Set<String> its = uses.computeIfAbsent(name, _ -> new TreeSet<>());
                for (PoolEntry entry : model.constantPool()) {
                    if (entry instanceof Utf8Entry text) {
                        Matcher matcher = OURS.matcher(text.stringValue());
                        while (matcher.find()) {
                            its.add(matcher.group());
                        }
                    }
                }
                its.remove(name);
            }
        }
        uses.values().forEach(its -> its.retainAll(uses.keySet()));
    }

    private static String outer(String name) {
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    /** Tarjan's algorithm: a circle is complete when its first class is left. */
    private void visit(String name) {
        int number = numbers.size();
        numbers.put(name, number);
        lowest.put(name, number);
        path.push(name);
        onPath.add(name);
        for (String used : uses.get(name)) {
            if (!numbers.containsKey(used)) {
                visit(used);
                lowest.merge(name, lowest.get(used), Math::min);
            } else if (onPath.contains(used)) {
                lowest.merge(name, numbers.get(used), Math::min);
            }
        }
        if (lowest.get(name) == number) {
            Set<String> circle = new TreeSet<>();
            String last;
            do {
                last = path.pop();
                onPath.remove(last);
                circle.add(last.substring(last.lastIndexOf('/') + 1));
            } while (!last.equals(name));
            found.add(circle);
        }
    }
}
