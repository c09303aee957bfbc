package dev.quiver.sdk;

/** The function of a complex task, which executes its markers: requests name it, so its name has to be one of theirs. */
record ComplexFunction(Handler function) implements Handler {

    @Override
    public Output handle(Input input, Task task) throws Exception {
        return function.handle(input, task);
    }
}
