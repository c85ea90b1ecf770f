//! Every row of a service's database, to compare it with itself at another time.

use super::Server;
use flowkeep::store::Store;
use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition, TableHandle as _};
use std::collections::{BTreeMap, BTreeSet};

/// All rows, by the name of their table and their key.
#[derive(PartialEq, Eq)]
pub struct Rows(BTreeMap<(String, Vec<u8>), Vec<u8>>);

impl Rows {
    /// Reads them from a copy of the service's files, which have all that it acknowledged.
    pub fn read(server: &Server) -> Self {
        let copy = tempfile::tempdir().unwrap();
        let path = server.folder.path().join("data").join("flowkeep.redb");
        for file in Store::files(&path).iter().filter(|file| file.exists()) {
            std::fs::copy(file, copy.path().join(file.file_name().unwrap())).unwrap();
        }
        let path = copy.path().join("flowkeep.redb");
        // What the log alone has goes into the tables with the end of the store.
        drop(Store::open(&path).unwrap());
        let database = Database::open(&path).unwrap();
        let tx = database.begin_read().unwrap();
        let mut rows = BTreeMap::new();
        for table in tx.list_tables().unwrap() {
            let definition: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new(table.name());
            for row in tx.open_table(definition).unwrap().iter().unwrap() {
                let (key, value) = row.unwrap();
                rows.insert((table.name().to_owned(), key.value().to_vec()), value.value().to_vec());
            }
        }
        // The place up to which the log was taken in: closing the copy writes it.
        assert!(rows.remove(&("meta".to_owned(), b"journal".to_vec())).is_some(), "the log was taken in");
        assert!(rows.len() > 10, "there is something to compare");
        Self(rows)
    }

    /// The tables in which these rows and the others differ.
    pub fn changed_tables(&self, others: &Self) -> BTreeSet<String> {
        let keys = self.0.keys().chain(others.0.keys());
        keys.filter(|key| self.0.get(*key) != others.0.get(*key)).map(|(table, _)| table.clone()).collect()
    }
}
