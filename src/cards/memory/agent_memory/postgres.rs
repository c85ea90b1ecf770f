//! States on a PostgreSQL server.

use super::table::{RUNS_MAX, StatePlace, StateRow, StateTable, TABLE, too_large};
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::kit::Inputs;
use crate::kit::stores::postgres::{create, session};
use crate::postgres::{PgClient, PgConnection, PgError, TableName};

/// What a server says of a table that is not there.
const NO_TABLE: &str = "42P01";

pub(super) struct PostgresStates {
    session: PgClient,
    table: String,
}

type PgResult<T> = std::result::Result<T, PgError>;

impl PostgresStates {
    pub(super) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let (session, schema) = session(inputs)?;
        let table = TableName::parse(TABLE).map_err(|error| error.at(inputs.label))?;
        Ok(Self { session, table: table.in_schema(schema).to_sql() })
    }

    /// The state is `json`, which keeps the order of names and every character as they were.
    fn create(&self, connection: &mut PgConnection, cancel: &CancelToken) -> PgResult<()> {
        let sql = format!(
            "CREATE TABLE IF NOT EXISTS {} (\"flow\" text NOT NULL, \"session\" text NOT NULL, \"run\" text NOT NULL, \
             \"number\" bigint GENERATED ALWAYS AS IDENTITY, \"state\" json NOT NULL, \"updated\" timestamptz NOT NULL \
             DEFAULT now(), PRIMARY KEY (\"flow\", \"session\", \"run\"))",
            self.table,
        );
        create(connection, &sql, cancel)
    }
}

impl StateTable for PostgresStates {
    fn read(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<Vec<StateRow>> {
        let sql = format!(
            "SELECT \"run\", \"state\" FROM {} WHERE \"flow\" = $1::text AND \"session\" = $2::text ORDER BY \"number\" DESC \
             LIMIT {RUNS_MAX}",
            self.table,
        );
        let rows = self.session.with_brief_connection(cancel, |connection| {
            let rows = match connection.run(&sql, &[&place.flow, &place.session], cancel) {
                Err(error) if error.is(NO_TABLE) => {
                    return self.create(connection, cancel).map(|()| Vec::new());
                }
                rows => rows?,
            };
            let row = |row| match <[Option<String>; 2]>::try_from(row) {
                Ok([Some(run), Some(state)]) => Ok(StateRow { run, state }),
                _ => Err(PgError::Garbled),
            };
            rows.into_iter().map(row).collect()
        });
        rows.map_err(|error| if error == PgError::TooLarge { too_large(card) } else { error.at(card) })
    }

    fn write(&self, place: &StatePlace, row: &StateRow, card: &str, cancel: &CancelToken) -> Result<()> {
        let sql = format!(
            "INSERT INTO {} (\"flow\", \"session\", \"run\", \"state\") VALUES ($1::text, $2::text, $3::text, $4::json) ON \
             CONFLICT (\"flow\", \"session\", \"run\") DO UPDATE SET \"state\" = EXCLUDED.\"state\", \"updated\" = now()",
            self.table,
        );
        let values = [place.flow.as_str(), &place.session, &row.run, &row.state];
        let written = self.session.with_brief_connection(cancel, |connection| {
            match connection.run(&sql, &values, cancel) {
                // Somebody removed it since it was read.
                Err(error) if error.is(NO_TABLE) => {
                    self.create(connection, cancel)?;
                    connection.run(&sql, &values, cancel)
                }
                written => written,
            }
        });
        written.map(drop).map_err(|error| error.at(card))
    }

    fn delete(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<()> {
        let sql = format!("DELETE FROM {} WHERE \"flow\" = $1::text AND \"session\" = $2::text", self.table);
        // Several conversations may be forgotten one behind the other.
        let deleted = self.session.with_connection(cancel, |connection| {
            match connection.run(&sql, &[&place.flow, &place.session], cancel) {
                Err(error) if error.is(NO_TABLE) => Ok(()),
                deleted => deleted.map(drop),
            }
        });
        deleted.map_err(|error| error.at(card))
    }
}
