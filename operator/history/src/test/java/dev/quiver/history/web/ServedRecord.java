package dev.quiver.history.web;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;

import dev.quiver.history.rig.Client;
import dev.quiver.history.rig.PostgresProcess;
import dev.quiver.history.rig.Record;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The API of an empty record of the namespace team-a, over either database. */
final class ServedRecord {

    private ServedRecord() {}

    /** Writes a record and asks the API for it. */
    interface Story {
        void run(Record record, Client client) throws Exception;
    }

    static void overSqlite(Path folder, Story story) throws Exception {
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")))) {
            over(database, story);
        }
    }

    static void overPostgres(Story story) throws Exception {
        try (PostgresProcess postgres = PostgresProcess.start();
                Database database = postgres.database("served")) {
            over(database, story);
        }
    }

    private static void over(Database database, Story story) throws Exception {
        Record record = new Record(database, Keyspace.ofNamespace("team-a"));
        try (ApiServer server = ApiServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        Optional.empty(),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> null);
                Client client = new Client(server.address())) {
            story.run(record, client);
        }
    }

    /** A field of each item of a page. */
    static List<String> texts(JsonNode page, String field) {
        return page.get("items")
                .valueStream()
                .map(item -> item.path(field).asText())
                .toList();
    }
}
