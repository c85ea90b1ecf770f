//! Postgres Record Manager: what is in a store, remembered in a table of a PostgreSQL server.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::kit::stores::postgres::{
    ADDITIONAL_CONFIG, CREDENTIAL, DATABASE, HOST, PORT_INPUT, SSL, clean_text, create, session, table,
    table_exists,
};
use crate::kit::stores::records::{CLEANUP, NAMESPACE, SOURCE_KEY, TABLE};
use crate::kit::{Card, Category, Factory, Host, Input, RecordManager, RecordManagerConfig, Risk};
use crate::limits::COLLECTION_ROWS_MAX;
use crate::postgres::{PgClient, PgConnection, PgError, TableName};
use crate::vectors::RowId;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use uuid::Uuid;

pub(crate) const CARD: Card = Card {
    name: "postgresRecordManager",
    label: "Postgres Record Manager",
    version: 1.0,
    category: Category::RecordManager,
    description: "Remembers in a PostgreSQL database which chunks a vector store holds, so that filling it again \
                  stores only what is new and removes what is gone.",
    base_classes: &["Postgres RecordManager", "RecordManager"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        CREDENTIAL,
        HOST,
        DATABASE,
        PORT_INPUT,
        SSL,
        ADDITIONAL_CONFIG,
        Input::text("tableName", "Table Name")
            .additional()
            .help("With a schema and a dot before it where it needs one. Empty: upsertion_records."),
        NAMESPACE,
        CLEANUP,
        SOURCE_KEY,
    ],
    outputs: &[],
    make: Factory::Records(|inputs| {
        let (session, schema) = session(inputs)?;
        let table = table(inputs, "tableName", TABLE, schema)?;
        Ok(Arc::new(PostgresRecords { config: RecordManagerConfig::from_inputs(inputs)?, session, table }))
    }),
};

/// Records that are read, stored or removed by one statement.
const AT_ONCE: usize = 5_000;

struct PostgresRecords {
    config: RecordManagerConfig,
    session: PgClient,
    table: TableName,
}

impl PostgresRecords {
    /// The table as other programs of Flowise's kind make it.
    fn creation(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (\"uuid\" uuid PRIMARY KEY DEFAULT gen_random_uuid(), \"key\" text NOT \
             NULL, \"namespace\" text NOT NULL, \"updated_at\" double precision NOT NULL, \"group_id\" text, \
             \"doc_id\" text, UNIQUE (\"key\", \"namespace\"))",
            self.table.to_sql(),
        )
    }

    /// Everything of the namespace, some at a time.
    fn read(
        &self,
        connection: &mut PgConnection,
        namespace: &str,
        cancel: &CancelToken,
    ) -> std::result::Result<HashMap<RowId, String>, PgError> {
        if !table_exists(connection, &self.table, cancel)? {
            create(connection, &self.creation(), cancel)?;
        }
        let sql = format!(
            "SELECT \"key\", \"group_id\" FROM {} WHERE \"namespace\" = $1::text AND \"key\" > $2::text ORDER BY \
             \"key\" LIMIT {AT_ONCE}",
            self.table.to_sql(),
        );
        let (mut known, mut last, mut seen) = (HashMap::new(), String::new(), 0);
        loop {
            let rows = connection.run(&sql, &[namespace, &last], cancel)?;
            let count = rows.len();
            for row in rows {
                let [Some(key), source] =
                    <[Option<String>; 2]>::try_from(row).map_err(|_| PgError::Garbled)?
                else {
                    return Err(PgError::Garbled);
                };
                // What is no such name was recorded by others, in a way of theirs.
                if let Ok(name) = Uuid::parse_str(&key) {
                    known.insert(*name.as_bytes(), source.unwrap_or_default());
                }
                last = key;
            }
            seen += count;
            if count < AT_ONCE {
                return Ok(known);
            }
            if seen > COLLECTION_ROWS_MAX {
                return Err(PgError::TooLarge);
            }
        }
    }

    fn write(
        &self,
        connection: &mut PgConnection,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        cancel: &CancelToken,
    ) -> std::result::Result<(), PgError> {
        let table = self.table.to_sql();
        let removal = format!(
            "DELETE FROM {table} WHERE \"namespace\" = $1::text AND \"key\" IN (SELECT jsonb_array_elements_text($2::jsonb))",
        );
        let addition = format!(
            "INSERT INTO {table} (\"key\", \"namespace\", \"updated_at\", \"group_id\") SELECT entry ->> 0, $1::text, \
             extract(epoch FROM clock_timestamp()), entry ->> 1 FROM jsonb_array_elements($2::jsonb) AS put(entry) ON \
             CONFLICT (\"key\", \"namespace\") DO UPDATE SET \"updated_at\" = EXCLUDED.\"updated_at\", \"group_id\" = \
             EXCLUDED.\"group_id\"",
        );
        let key = |name: &RowId| Uuid::from_bytes(*name).to_string();
        for some in remove.chunks(AT_ONCE) {
            let names = json!(some.iter().map(key).collect::<Vec<_>>()).to_string();
            connection.run(&removal, &[namespace, &names], cancel)?;
        }
        for some in put.chunks(AT_ONCE) {
            let records = some.iter().map(|(name, source)| json!([key(name), clean_text(source)]));
            let records = json!(records.collect::<Vec<_>>()).to_string();
            connection.run(&addition, &[namespace, &records], cancel)?;
        }
        Ok(())
    }
}

impl RecordManager for PostgresRecords {
    fn config(&self) -> &RecordManagerConfig {
        &self.config
    }

    fn records(&self, namespace: &str, host: &dyn Host) -> Result<HashMap<RowId, String>> {
        let namespace = clean_text(namespace);
        let known = self
            .session
            .with_connection(host.cancel(), |connection| self.read(connection, &namespace, host.cancel()));
        known.map_err(|error| error.at(&self.config.label))
    }

    fn change(
        &self,
        namespace: &str,
        put: &[(RowId, String)],
        remove: &[RowId],
        host: &dyn Host,
    ) -> Result<()> {
        let (namespace, cancel) = (clean_text(namespace), host.cancel());
        let changed = self.session.with_connection(cancel, |connection| {
            connection
                .transaction(cancel, |connection| self.write(connection, &namespace, put, remove, cancel))
        });
        changed.map_err(|error| error.at(&self.config.label))
    }
}
