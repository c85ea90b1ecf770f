//! MySQL Record Manager: what is in a store, remembered in a table of a MySQL or MariaDB server.

use crate::cards::kit::mysql::{ADDITIONAL_CONFIG, CREDENTIAL, PORT_INPUT, Table, session};
use crate::cards::kit::postgres::{DATABASE, HOST};
use crate::cards::kit::records::{CLEANUP, NAMESPACE, SOURCE_KEY, TABLE};
use crate::cards::kit::{Card, Category, Host, Input, Keeping, Make, RecordManager, Risk};
use crate::domain::cancel::Cancel;
use crate::domain::error::{Error, Result};
use crate::limits;
use crate::mysql::{Bounds, Cell, Connection, MySqlError, Session, Value};
use crate::vectors::RowId;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The card.
pub const CARD: Card = Card {
    name: "MySQLRecordManager",
    label: "MySQL Record Manager",
    version: 1.0,
    category: Category::RecordManager,
    description: "Remembers in a MySQL or MariaDB database which passages a vector store holds, so that filling it \
                  again stores only what is new and removes what is gone.",
    base_classes: &["MySQL RecordManager", "RecordManager"],
    risk: Risk::Safe,
    inputs: &[
        CREDENTIAL,
        HOST,
        DATABASE,
        PORT_INPUT,
        ADDITIONAL_CONFIG,
        Input::text("tableName", "Table Name")
            .additional()
            .help("With a database and a dot before it where it needs one. Empty: upsertion_records."),
        NAMESPACE,
        CLEANUP,
        SOURCE_KEY,
    ],
    outputs: &[],
    make: Make::Records(|inputs| {
        let table = Table::of(inputs, "tableName", TABLE)?;
        Ok(Arc::new(Records { keeping: Keeping::of(inputs)?, session: session(inputs)?, table }))
    }),
};

/// Records that are read by one statement.
const READ_AT_ONCE: usize = 5_000;
/// Records that are stored or removed by one statement: a statement has at most 65,535 places for values.
const WRITTEN_AT_ONCE: usize = 1_000;
/// The longest namespace that the table takes: a server that is not strict would cut a longer one off and never find it.
const NAMESPACE_CHARS_MAX: usize = 255;
/// What one statement may take and give.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(limits::POSTGRES_SECONDS),
    rows: READ_AT_ONCE,
    bytes: limits::POSTGRES_RESULT_BYTES_MAX,
};

struct Records {
    keeping: Keeping,
    session: Session,
    table: Table,
}

type Outcome<T> = std::result::Result<T, MySqlError>;

impl Records {
    /// The table as others of the family make it. Names are compared by their bytes: `A` is not `a`.
    fn creation(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (`uuid` varchar(36) NOT NULL PRIMARY KEY, `key` varchar(255) NOT NULL, `namespace` \
             varchar(255) NOT NULL, `updated_at` double NOT NULL, `group_id` longtext, `doc_id` longtext, UNIQUE KEY \
             `unique_key_namespace` (`key`, `namespace`)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            self.table.quoted(),
        )
    }

    /// Whether the table is there: a user who may not make tables may fill one that somebody else made.
    fn is_there(&self, connection: &mut Connection, cancel: &Cancel) -> Outcome<bool> {
        let (database, name) = self.table.parts();
        let sql = "SELECT 1 FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
        let values = [database.map_or(Value::Null, text), text(name)];
        Ok(!connection.run(sql, &values, &BOUNDS, cancel)?.rows.is_empty())
    }

    /// Everything of the namespace, some at a time.
    fn read(
        &self,
        connection: &mut Connection,
        namespace: &str,
        cancel: &Cancel,
    ) -> Outcome<HashMap<RowId, String>> {
        if !self.is_there(connection, cancel)? {
            connection.run(&self.creation(), &[], &BOUNDS, cancel)?;
        }
        let sql = format!(
            "SELECT `key`, `group_id` FROM {} WHERE `namespace` = ? AND `key` > ? ORDER BY `key` LIMIT {READ_AT_ONCE}",
            self.table.quoted(),
        );
        let (mut known, mut last, mut seen) = (HashMap::new(), String::new(), 0);
        loop {
            let rows = connection.run(&sql, &[text(namespace), text(&last)], &BOUNDS, cancel)?.rows;
            let count = rows.len();
            for row in rows {
                let [Some(key), source] = <[Cell; 2]>::try_from(row).map_err(|_| MySqlError::Garbled)? else {
                    return Err(MySqlError::Garbled);
                };
                last = String::from_utf8(key).map_err(|_| MySqlError::Garbled)?;
                // What is no such name was recorded by others, in a way of theirs.
                if let Ok(name) = Uuid::parse_str(&last) {
                    let source = source.unwrap_or_default();
                    known.insert(*name.as_bytes(), String::from_utf8_lossy(&source).into_owned());
                }
            }
            seen += count;
            if count < READ_AT_ONCE {
                return Ok(known);
            }
            if seen > limits::COLLECTION_ROWS_MAX {
                return Err(MySqlError::TooLarge);
            }
        }
    }

    /// Removes and stores, all of it or nothing.
    fn write(
        &self,
        connection: &mut Connection,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        cancel: &Cancel,
    ) -> Outcome<()> {
        connection.run("START TRANSACTION", &[], &BOUNDS, cancel)?;
        let written = self.write_within(connection, namespace, put, remove, cancel);
        if written.as_ref().err().is_none_or(MySqlError::leaves_connection) {
            let end = if written.is_ok() { "COMMIT" } else { "ROLLBACK" };
            connection.run(end, &[], &BOUNDS, cancel)?;
        }
        written
    }

    fn write_within(
        &self,
        connection: &mut Connection,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        cancel: &Cancel,
    ) -> Outcome<()> {
        let table = self.table.quoted();
        let key = |name: &RowId| Value::Text(Uuid::from_bytes(*name).to_string());
        for some in remove.chunks(WRITTEN_AT_ONCE) {
            let places = vec!["?"; some.len()].join(", ");
            let sql = format!("DELETE FROM {table} WHERE `namespace` = ? AND `key` IN ({places})");
            let values: Vec<Value> = [text(namespace)].into_iter().chain(some.iter().map(key)).collect();
            connection.run(&sql, &values, &BOUNDS, cancel)?;
        }
        for some in put.chunks(WRITTEN_AT_ONCE) {
            let places = vec!["(UUID(), ?, ?, UNIX_TIMESTAMP(NOW(3)), ?)"; some.len()].join(", ");
            let sql = format!(
                "INSERT INTO {table} (`uuid`, `key`, `namespace`, `updated_at`, `group_id`) VALUES {places} ON DUPLICATE KEY \
                 UPDATE `updated_at` = VALUES(`updated_at`), `group_id` = VALUES(`group_id`)",
            );
            let row = |(name, source): &(RowId, String)| [key(name), text(namespace), text(source)];
            let values: Vec<Value> = some.iter().flat_map(row).collect();
            connection.run(&sql, &values, &BOUNDS, cancel)?;
        }
        Ok(())
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

impl RecordManager for Records {
    fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    fn known(&self, namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        if namespace.chars().count() > NAMESPACE_CHARS_MAX {
            return Err(Error::Failed(format!(
                "{}: a namespace has at most {NAMESPACE_CHARS_MAX} characters; give the card a shorter one",
                self.keeping.label
            )));
        }
        let cancel = host.cancel();
        let known = self.session.with(cancel, |connection| self.read(connection, namespace, cancel));
        known.map_err(|error| error.at(&self.keeping.label))
    }

    fn change(
        &self,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        host: &dyn Host,
    ) -> Result<()> {
        let cancel = host.cancel();
        let changed =
            self.session.with(cancel, |connection| self.write(connection, namespace, put, remove, cancel));
        changed.map_err(|error| error.at(&self.keeping.label))
    }
}
