//! Code asks a MySQL or MariaDB server.

use super::failure::QueryError;
use super::saved_database::SavedDatabase;
use super::{CallLimits, DatabaseClient};
use crate::kit::capabilities::host::Host;
use crate::limits;
use crate::mysql::{
    MySqlConnection, MySqlError, MySqlLimits, MySqlQueryResult, MySqlServer, MySqlValue as Given, ValueType,
};
use crate::script::{DatabaseAnswer, DatabaseColumn, DatabaseValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

struct MySqlClient {
    server: MySqlServer,
    connection: MySqlConnection,
}

const fn bounds(within: &CallLimits<'_>) -> MySqlLimits {
    MySqlLimits { time: within.time, rows: limits::CODE_ROWS_MAX, bytes: limits::CODE_ROWS_BYTES_MAX }
}

/// Connects and signs in.
pub(super) fn open(
    saved: &SavedDatabase,
    host: &dyn Host,
    within: &CallLimits<'_>,
) -> Result<Box<dyn DatabaseClient>, QueryError> {
    let server = MySqlServer {
        host: saved.host.clone(),
        port: saved.port,
        database: saved.database.clone(),
        user: saved.user.clone(),
        password: saved.password.clone(),
        tls: saved.tls,
        authorities: saved.authorities.clone(),
    };
    let mut connection = MySqlConnection::open(&server, host.outgoing(), within.cancel)?;
    connection.limit(&bounds(within), within.cancel)?;
    if !saved.writes {
        connection.run("SET SESSION TRANSACTION READ ONLY", &[], &bounds(within), within.cancel)?;
    }
    Ok(Box::new(MySqlClient { server, connection }))
}

impl DatabaseClient for MySqlClient {
    fn query(
        &mut self,
        sql: &str,
        values: &[DatabaseValue],
        writes: bool,
        within: &CallLimits<'_>,
    ) -> Result<DatabaseAnswer, QueryError> {
        let values = values.iter().map(to_parameter).collect::<Result<Vec<_>, _>>()?;
        let bounds = bounds(within);
        if writes {
            return Ok(to_answer(self.connection.run(sql, &values, &bounds, within.cancel)?));
        }
        self.connection.run("START TRANSACTION READ ONLY", &[], &bounds, within.cancel)?;
        let asked = self.connection.run(sql, &values, &bounds, within.cancel);
        if asked.as_ref().err().is_none_or(MySqlError::is_connection_usable) {
            self.connection.run("ROLLBACK", &[], &bounds, within.cancel)?;
        }
        Ok(to_answer(asked?))
    }

    fn stop(self: Box<Self>, host: &dyn Host) {
        self.connection.cancel_statement(&self.server, host.outgoing());
    }

    fn close(self: Box<Self>) {
        self.connection.close();
    }
}

fn to_parameter(value: &DatabaseValue) -> Result<Given, QueryError> {
    Ok(match value {
        DatabaseValue::Null => Given::Null,
        DatabaseValue::Text(text) => Given::Text(text.clone()),
        DatabaseValue::Bytes(base64) => Given::Bytes(
            STANDARD.decode(base64).map_err(|_| QueryError::not_sent("a value's bytes cannot be read"))?,
        ),
        DatabaseValue::Whole(whole) => Given::Whole(*whole),
        DatabaseValue::Number(number) => Given::Number(*number),
        DatabaseValue::Flag(flag) => Given::Flag(*flag),
    })
}

const fn kind(kind: ValueType) -> &'static str {
    match kind {
        ValueType::Text => "text",
        ValueType::Number => "number",
        ValueType::Long => "long",
        ValueType::Time => "time",
        ValueType::Json => "json",
        ValueType::Bytes => "bytes",
    }
}

fn to_answer(answer: MySqlQueryResult) -> DatabaseAnswer {
    let kinds: Vec<ValueType> = answer.columns.iter().map(|column| column.kind).collect();
    let cell = |(at, cell): (usize, Option<Vec<u8>>)| match cell {
        None => Value::Null,
        Some(bytes) if kinds.get(at) == Some(&ValueType::Bytes) => Value::from(STANDARD.encode(bytes)),
        Some(bytes) => Value::from(String::from_utf8_lossy(&bytes).into_owned()),
    };
    let rows: Vec<Vec<Value>> =
        answer.rows.into_iter().map(|row| row.into_iter().enumerate().map(cell).collect()).collect();
    let columns: Vec<DatabaseColumn> = answer
        .columns
        .into_iter()
        .map(|column| DatabaseColumn {
            kind: kind(column.kind).to_owned(),
            number: column.number.into(),
            name: column.name,
        })
        .collect();
    let count = if columns.is_empty() { answer.changed } else { rows.len() as u64 };
    DatabaseAnswer { columns, rows, count, inserted: answer.inserted, ..DatabaseAnswer::default() }
}
