package dev.quiver.history.web;

import java.sql.SQLException;
import java.util.List;

import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.history.access.Caller;
import dev.quiver.history.query.Runs;
import dev.quiver.history.store.Database;

/** The namespaces of the record in which a caller may list runs. Stateless. */
final class OpenNamespaces {

    /** Namespaces that reviews are made for: each takes several. */
    static final int REVIEWED = 20;

    /** Namespaces of an answer. */
    private static final int MOST = 1000;

    private OpenNamespaces() {}

    /** By name. A reader has its own namespace, and who may list everywhere has all of them without further reviews. */
    static Response of(Database database, Gate gate, Caller caller) throws SQLException {
        if (caller.readerOf().isPresent()) {
            return answer(List.of(caller.readerOf().get()), false);
        }
        boolean all = gate.lists(caller, "");
        int most = all ? MOST : REVIEWED;
        List<String> recorded = database.ask(connection -> Runs.namespaces(connection, most + 1));
        return answer(
                recorded.stream()
                        .limit(most)
                        .filter(name -> all || gate.lists(caller, name))
                        .toList(),
                recorded.size() > most);
    }

    private static Response answer(List<String> names, boolean more) {
        ObjectNode list = Documents.list(names, name -> Documents.object().put("name", name));
        return Response.json(list.put("more", more));
    }
}
