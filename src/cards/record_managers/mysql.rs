//! MySQL Record Manager: what is in a store, remembered in a table of a MySQL or MariaDB server.

use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::kit::stores::mysql::{ADDITIONAL_CONFIG, CREDENTIAL, MySqlTable, PORT_INPUT, session};
use crate::kit::stores::postgres::{DATABASE, HOST};
use crate::kit::stores::records::{CLEANUP, NAMESPACE, SOURCE_KEY, TABLE};
use crate::kit::{Card, Category, Factory, Host, Input, RecordManager, RecordManagerConfig, Risk};
use crate::limits;
use crate::mysql::{MySqlCell, MySqlClient, MySqlConnection, MySqlError, MySqlLimits, MySqlValue};
use crate::vectors::RowId;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

pub(crate) const CARD: Card = Card {
    name: "MySQLRecordManager",
    label: "MySQL Record Manager",
    version: 1.0,
    category: Category::RecordManager,
    description: "Remembers in a MySQL or MariaDB database which chunks a vector store holds, so that filling it \
                  again stores only what is new and removes what is gone.",
    base_classes: &["MySQL RecordManager", "RecordManager"],
    risk: Risk::Safe,
    needs: &[],
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
    make: Factory::Records(|inputs| {
        let table = MySqlTable::from_inputs(inputs, "tableName", TABLE)?;
        Ok(Arc::new(MySqlRecords {
            config: RecordManagerConfig::from_inputs(inputs)?,
            session: session(inputs)?,
            table,
        }))
    }),
};

/// Records that are read by one statement.
const READ_AT_ONCE: usize = 5_000;
/// Records that are stored or removed by one statement: a statement has at most 65,535 places for values.
const WRITTEN_AT_ONCE: usize = 1_000;
/// The longest namespace that the table takes: a server that is not strict would cut a longer one off and never find it.
const NAMESPACE_CHARS_MAX: usize = 255;
/// What one statement may take and give.
const BOUNDS: MySqlLimits = MySqlLimits {
    time: Duration::from_secs(limits::POSTGRES_SECONDS),
    rows: READ_AT_ONCE,
    bytes: limits::POSTGRES_RESULT_BYTES_MAX,
};

struct MySqlRecords {
    config: RecordManagerConfig,
    session: MySqlClient,
    table: MySqlTable,
}

type MySqlResult<T> = std::result::Result<T, MySqlError>;

impl MySqlRecords {
    /// The table as other programs of Flowise's kind make it. Names are compared by their bytes: `A` is not `a`.
    fn creation(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (`uuid` varchar(36) NOT NULL PRIMARY KEY, `key` varchar(255) NOT NULL, `namespace` \
             varchar(255) NOT NULL, `updated_at` double NOT NULL, `group_id` longtext, `doc_id` longtext, UNIQUE KEY \
             `unique_key_namespace` (`key`, `namespace`)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            self.table.to_sql(),
        )
    }

    /// Whether the table is there: a user who may not make tables may use one that somebody else made.
    fn is_there(&self, connection: &mut MySqlConnection, cancel: &CancelToken) -> MySqlResult<bool> {
        let (database, name) = self.table.parts();
        let sql = "SELECT 1 FROM information_schema.tables WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?";
        let values = [database.map_or(MySqlValue::Null, text), text(name)];
        Ok(!connection.run(sql, &values, &BOUNDS, cancel)?.rows.is_empty())
    }

    /// Everything of the namespace, some at a time.
    fn read(
        &self,
        connection: &mut MySqlConnection,
        namespace: &str,
        cancel: &CancelToken,
    ) -> MySqlResult<HashMap<RowId, String>> {
        if !self.is_there(connection, cancel)? {
            connection.run(&self.creation(), &[], &BOUNDS, cancel)?;
        }
        let sql = format!(
            "SELECT `key`, `group_id` FROM {} WHERE `namespace` = ? AND `key` > ? ORDER BY `key` LIMIT {READ_AT_ONCE}",
            self.table.to_sql(),
        );
        let (mut known, mut last, mut seen) = (HashMap::new(), String::new(), 0);
        loop {
            let rows = connection.run(&sql, &[text(namespace), text(&last)], &BOUNDS, cancel)?.rows;
            let count = rows.len();
            for row in rows {
                let [Some(key), source] = <[MySqlCell; 2]>::try_from(row).map_err(|_| MySqlError::Garbled)?
                else {
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
        connection: &mut MySqlConnection,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        cancel: &CancelToken,
    ) -> MySqlResult<()> {
        connection.run("START TRANSACTION", &[], &BOUNDS, cancel)?;
        let written = self.write_within(connection, namespace, put, remove, cancel);
        if written.as_ref().err().is_none_or(MySqlError::is_connection_usable) {
            let end = if written.is_ok() { "COMMIT" } else { "ROLLBACK" };
            connection.run(end, &[], &BOUNDS, cancel)?;
        }
        written
    }

    fn write_within(
        &self,
        connection: &mut MySqlConnection,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        cancel: &CancelToken,
    ) -> MySqlResult<()> {
        let table = self.table.to_sql();
        let key = |name: &RowId| MySqlValue::Text(Uuid::from_bytes(*name).to_string());
        for some in remove.chunks(WRITTEN_AT_ONCE) {
            let places = vec!["?"; some.len()].join(", ");
            let sql = format!("DELETE FROM {table} WHERE `namespace` = ? AND `key` IN ({places})");
            let values: Vec<MySqlValue> = [text(namespace)].into_iter().chain(some.iter().map(key)).collect();
            connection.run(&sql, &values, &BOUNDS, cancel)?;
        }
        for some in put.chunks(WRITTEN_AT_ONCE) {
            let places = vec!["(UUID(), ?, ?, UNIX_TIMESTAMP(NOW(3)), ?)"; some.len()].join(", ");
            let sql = format!(
                "INSERT INTO {table} (`uuid`, `key`, `namespace`, `updated_at`, `group_id`) VALUES {places} ON DUPLICATE KEY \
                 UPDATE `updated_at` = VALUES(`updated_at`), `group_id` = VALUES(`group_id`)",
            );
            let row = |(name, source): &(RowId, String)| [key(name), text(namespace), text(source)];
            let values: Vec<MySqlValue> = some.iter().flat_map(row).collect();
            connection.run(&sql, &values, &BOUNDS, cancel)?;
        }
        Ok(())
    }
}

fn text(text: &str) -> MySqlValue {
    MySqlValue::Text(text.to_owned())
}

impl RecordManager for MySqlRecords {
    fn config(&self) -> &RecordManagerConfig {
        &self.config
    }

    fn records(&self, namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        if namespace.chars().count() > NAMESPACE_CHARS_MAX {
            return Err(Error::RunFailed(format!(
                "{}: a namespace has at most {NAMESPACE_CHARS_MAX} characters; give the card a shorter one",
                self.config.label
            )));
        }
        let cancel = host.cancel();
        let known =
            self.session.with_connection(cancel, |connection| self.read(connection, namespace, cancel));
        known.map_err(|error| error.at(&self.config.label))
    }

    fn change(
        &self,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        host: &dyn Host,
    ) -> Result<()> {
        let cancel = host.cancel();
        let changed = self
            .session
            .with_connection(cancel, |connection| self.write(connection, namespace, put, remove, cancel));
        changed.map_err(|error| error.at(&self.config.label))
    }
}
