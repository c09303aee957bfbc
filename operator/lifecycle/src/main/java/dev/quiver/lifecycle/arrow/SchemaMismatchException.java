package dev.quiver.lifecycle.arrow;

/** Values that were to become one stream are of different kinds. */
public final class SchemaMismatchException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    /**
     * Names both values and their schemas.
     *
     * @param one name of the first one
     * @param itsSchema its columns, or its format where it is no stream
     */
    public SchemaMismatchException(String one, String itsSchema, String other, String otherSchema) {
        super(one + " has the schema (" + itsSchema + "), " + other + " has (" + otherSchema
                + "): results that are joined must have one schema");
    }
}
