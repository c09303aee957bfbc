package dev.quiver.sdk;

/** The function of a complex task, which executes its markers: requests name it, so its name has to be one of theirs. */
record ComplexFunction(ComplexHandler of) implements Handler {

    @Override
    public Output handle(Input input, Task task) throws Exception {
        Output output = of.execute(Kept.of(input, false, task.handler()), task);
        return output instanceof Done done ? done.ofExecution() : output;
    }
}
