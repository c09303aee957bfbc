package dev.quiver.history.web;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.store.Database;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;

/** Cases of reports over SQLite. */
class SqliteCasesIT extends CasesContract {

    @TempDir
    private Path folder;

    @Override
    Database open() throws Exception {
        return SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
    }
}
