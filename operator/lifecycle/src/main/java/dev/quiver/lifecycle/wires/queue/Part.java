package dev.quiver.lifecycle.wires.queue;

/** The three functions of a job, with the letters that scripts know them by. */
enum Part {
    MAP('m'),
    PROCESS('c'),
    REDUCE('r');

    private final char letter;

    Part(char letter) {
        this.letter = letter;
    }

    /** The part of a unit of work, whose name begins with the part's letter. */
    static Part of(String unit) {
        for (Part part : values()) {
            if (!unit.isEmpty() && unit.charAt(0) == part.letter) {
                return part;
            }
        }
        throw new IllegalArgumentException("no unit of work: " + unit);
    }

    /** The function of this handler that runs it. */
    String function(String handler) {
        return handler + suffix();
    }

    /** The end of the names of its functions. */
    String suffix() {
        return switch (this) {
            case MAP -> ".map";
            case PROCESS -> ".process";
            case REDUCE -> ".reduce";
        };
    }

    /** As the step's list of served functions has it. */
    String served() {
        return this == PROCESS ? "p" : Character.toString(letter);
    }
}
