//! States on a MySQL or MariaDB server.

use super::table::{RUNS_MAX, StatePlace, StateRow, StateTable, TABLE, too_large};
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::kit::Inputs;
use crate::kit::stores::mysql::session;
use crate::limits;
use crate::mysql::{MySqlClient, MySqlConnection, MySqlError, MySqlLimits, MySqlRow, MySqlValue};
use std::time::Duration;

/// What a server says of a table that is not there.
const NO_TABLE: u16 = 1146;
/// What one statement may take and give.
const BOUNDS: MySqlLimits = MySqlLimits {
    time: Duration::from_secs(limits::POSTGRES_SECONDS),
    rows: RUNS_MAX,
    bytes: limits::POSTGRES_RESULT_BYTES_MAX,
};

pub(super) struct MySqlStates {
    session: MySqlClient,
}

type MySqlResult<T> = std::result::Result<T, MySqlError>;

impl MySqlStates {
    pub(super) fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        Ok(Self { session: session(inputs)? })
    }
}

/// Names are compared by their bytes: `A` is not `a`. The state is text, which keeps every character as it was.
fn create(connection: &mut MySqlConnection, cancel: &CancelToken) -> MySqlResult<()> {
    let sql = format!(
        "CREATE TABLE IF NOT EXISTS `{TABLE}` (`flow` varchar(36) NOT NULL, `session` varchar(255) NOT NULL, `run` varchar(36) \
         NOT NULL, `number` bigint NOT NULL AUTO_INCREMENT, `state` longtext NOT NULL, `updated` timestamp NOT NULL DEFAULT \
         CURRENT_TIMESTAMP, PRIMARY KEY (`flow`, `session`, `run`), UNIQUE KEY (`number`)) CHARACTER SET utf8mb4 COLLATE \
         utf8mb4_bin",
    );
    connection.run(&sql, &[], &BOUNDS, cancel).map(drop)
}

const fn lacks_table(error: &MySqlError) -> bool {
    matches!(error, MySqlError::Server { number: NO_TABLE, .. })
}

fn texts(values: &[&str]) -> Vec<MySqlValue> {
    values.iter().map(|value| MySqlValue::Text((*value).to_owned())).collect()
}

fn row(cells: MySqlRow) -> MySqlResult<StateRow> {
    let mut texts = cells.into_iter().map(|cell| String::from_utf8(cell?).ok());
    match (texts.next().flatten(), texts.next().flatten()) {
        (Some(run), Some(state)) => Ok(StateRow { run, state }),
        _ => Err(MySqlError::Garbled),
    }
}

impl StateTable for MySqlStates {
    fn read(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<Vec<StateRow>> {
        let sql = format!(
            "SELECT `run`, `state` FROM `{TABLE}` WHERE `flow` = ? AND `session` = ? ORDER BY `number` DESC LIMIT {RUNS_MAX}"
        );
        let values = texts(&[&place.flow, &place.session]);
        let rows = self.session.with_brief_connection(cancel, |connection| {
            match connection.run(&sql, &values, &BOUNDS, cancel) {
                Err(error) if lacks_table(&error) => create(connection, cancel).map(|()| Vec::new()),
                read => read?.rows.into_iter().map(row).collect(),
            }
        });
        rows.map_err(|error| if error == MySqlError::TooLarge { too_large(card) } else { error.at(card) })
    }

    fn write(&self, place: &StatePlace, row: &StateRow, card: &str, cancel: &CancelToken) -> Result<()> {
        let sql = format!(
            "INSERT INTO `{TABLE}` (`flow`, `session`, `run`, `state`) VALUES (?, ?, ?, ?) ON DUPLICATE KEY UPDATE `state` = \
             VALUES(`state`), `updated` = CURRENT_TIMESTAMP"
        );
        let values = texts(&[&place.flow, &place.session, &row.run, &row.state]);
        let written = self.session.with_brief_connection(cancel, |connection| {
            match connection.run(&sql, &values, &BOUNDS, cancel) {
                // Somebody removed it since it was read.
                Err(error) if lacks_table(&error) => {
                    create(connection, cancel)?;
                    connection.run(&sql, &values, &BOUNDS, cancel)
                }
                written => written,
            }
        });
        written.map(drop).map_err(|error| error.at(card))
    }

    fn delete(&self, place: &StatePlace, card: &str, cancel: &CancelToken) -> Result<()> {
        let sql = format!("DELETE FROM `{TABLE}` WHERE `flow` = ? AND `session` = ?");
        let values = texts(&[&place.flow, &place.session]);
        // Several conversations may be forgotten one behind the other.
        let deleted = self.session.with_connection(cancel, |connection| {
            match connection.run(&sql, &values, &BOUNDS, cancel) {
                Err(error) if lacks_table(&error) => Ok(()),
                deleted => deleted.map(drop),
            }
        });
        deleted.map_err(|error| error.at(card))
    }
}
