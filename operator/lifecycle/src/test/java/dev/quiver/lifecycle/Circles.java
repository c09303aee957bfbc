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
 * Classes or packages of a module that need each other in a circle, from the compiled classes: imports do not show uses
 * within one package. A class counts with all that is nested in it, and a record with the builder that the compiler makes.
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
        Circles classes = read(some);
        return classes.larger(most).stream().map(Circles::simple).toList();
    }

    /**
     * The circles of packages, each as the full names of its packages.
     *
     * @param some class of the module
     */
    public static List<Set<String>> ofPackages(Class<?> some) throws IOException {
        Circles classes = read(some);
        Circles packages = new Circles();
        classes.uses.forEach((name, its) -> {
            Set<String> used = packages.uses.computeIfAbsent(home(name), _ -> new TreeSet<>());
            its.forEach(other -> used.add(home(other)));
            used.remove(home(name));
        });
        return packages.larger(1);
    }

    /**
     * The circles of more than {@code most} of these.
     *
     * @param uses for each, which others it uses
     */
    public static List<Set<String>> of(Map<String, Set<String>> uses, int most) {
        Circles circles = new Circles();
        uses.forEach((name, its) -> circles.uses.put(name, new TreeSet<>(its)));
        return circles.larger(most);
    }

    private static Circles read(Class<?> some) throws IOException {
        Circles classes = new Circles();
        Path place = place(some);
        if (Files.isDirectory(place)) {
            classes.read(place);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                classes.read(jar.getPath("/"));
            }
        }
        return classes;
    }

    /** The package of a class. */
    private static String home(String name) {
        return name.substring(0, name.lastIndexOf('/')).replace('/', '.');
    }

    private static Set<String> simple(Set<String> circle) {
        Set<String> names = new TreeSet<>();
        circle.forEach(name -> names.add(name.substring(name.lastIndexOf('/') + 1)));
        return names;
    }

    private List<Set<String>> larger(int most) {
        uses.keySet().forEach(name -> {
            if (!numbers.containsKey(name)) {
                visit(name);
            }
        });
        return found.stream().filter(circle -> circle.size() > most).toList();
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
        List<String> builders = uses.keySet().stream()
                .filter(name -> uses.containsKey(built(name)) && !name.equals(built(name)))
                .toList();
        builders.forEach(this::count);
    }

    private static String built(String name) {
        return name.replaceFirst("Builder$", "");
    }

    /** Counts a builder with what it builds. */
    private void count(String builder) {
        String built = built(builder);
        uses.get(built).addAll(uses.remove(builder));
        uses.values().forEach(its -> {
            if (its.remove(builder)) {
                its.add(built);
            }
        });
        uses.get(built).remove(built);
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
                circle.add(last);
            } while (!last.equals(name));
            found.add(circle);
        }
    }
}
