//! Code asks a PostgreSQL server.

use super::failure::QueryError;
use super::saved_database::SavedDatabase;
use super::{CallLimits, DatabaseClient};
use crate::kit::capabilities::host::Host;
use crate::limits;
use crate::postgres::{PgConnection, PgError, PgQueryResult, PgResultLimits, PgServer, PgTls};
use crate::script::{DatabaseAnswer, DatabaseColumn, DatabaseValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

struct PostgresClient {
    server: PgServer,
    connection: PgConnection,
}

/// Connects and signs in.
pub(super) fn open(
    saved: &SavedDatabase,
    host: &dyn Host,
    within: &CallLimits<'_>,
) -> Result<Box<dyn DatabaseClient>, QueryError> {
    let tls = match &saved.authorities {
        _ if !saved.tls => PgTls::Off,
        Some(authorities) => PgTls::WithAuthorities(authorities.clone()),
        None => PgTls::Public,
    };
    let server = PgServer {
        host: saved.host.clone(),
        port: saved.port,
        database: saved.database.clone(),
        user: saved.user.clone(),
        password: saved.password.clone(),
        tls,
        application: "flowkeep".to_owned(),
        time: within.time,
    };
    let connection = PgConnection::open(&server, host.outgoing(), within.cancel)?;
    Ok(Box::new(PostgresClient { server, connection }))
}

impl DatabaseClient for PostgresClient {
    fn query(
        &mut self,
        sql: &str,
        values: &[DatabaseValue],
        writes: bool,
        within: &CallLimits<'_>,
    ) -> Result<DatabaseAnswer, QueryError> {
        let values = values.iter().map(to_parameter).collect::<Result<Vec<_>, _>>()?;
        let bounds = PgResultLimits { rows: limits::CODE_ROWS_MAX, bytes: limits::CODE_ROWS_BYTES_MAX };
        self.connection.set_time(within.time);
        if writes {
            return Ok(to_answer(self.connection.query(sql, &values, bounds, within.cancel)?));
        }
        self.connection.run("BEGIN READ ONLY", &[], within.cancel)?;
        // After a first statement the transaction cannot be made one that writes.
        self.connection.run("SELECT 1", &[], within.cancel)?;
        let asked = self.connection.query(sql, &values, bounds, within.cancel);
        if asked.as_ref().err().is_none_or(PgError::is_connection_usable) {
            self.connection.run("ROLLBACK", &[], within.cancel)?;
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

/// A value as the server reads it from text, which every type can be.
fn to_parameter(value: &DatabaseValue) -> Result<Option<String>, QueryError> {
    Ok(Some(match value {
        DatabaseValue::Null => return Ok(None),
        DatabaseValue::Text(text) if text.contains('\0') => {
            return Err(QueryError::not_sent("a text with a zero character cannot be a value in PostgreSQL"));
        }
        DatabaseValue::Text(text) => text.clone(),
        DatabaseValue::Bytes(base64) => {
            let bytes = STANDARD
                .decode(base64)
                .map_err(|_| QueryError::not_sent("a value's bytes cannot be read"))?;
            let mut text = String::with_capacity(bytes.len() * 2 + 2);
            text.push_str("\\x");
            for byte in bytes {
                text.extend(
                    [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')),
                );
            }
            text
        }
        DatabaseValue::Whole(whole) => whole.to_string(),
        DatabaseValue::Number(number) => number.to_string(),
        DatabaseValue::Flag(flag) => flag.to_string(),
    }))
}

/// What code makes of the values of a type, by the server's number of it: as the client does that people know.
const fn kind(number: u32) -> &'static str {
    match number {
        16 => "boolean",
        17 => "bytes",
        21 | 23 | 26 | 700 | 701 => "number",
        114 | 3802 => "json",
        1082 | 1114 | 1184 => "time",
        1000 => "boolean[]",
        1005 | 1007 | 1021 | 1022 | 1028 => "number[]",
        199 | 3807 => "json[]",
        1115 | 1182 | 1185 => "time[]",
        1002 | 1009 | 1014 | 1015 | 1016 | 1231 | 2951 => "text[]",
        _ => "text",
    }
}

fn to_answer(answer: PgQueryResult) -> DatabaseAnswer {
    let columns: Vec<DatabaseColumn> = answer
        .columns
        .into_iter()
        .map(|column| DatabaseColumn {
            kind: kind(column.kind).to_owned(),
            number: column.kind,
            name: column.name,
        })
        .collect();
    let cell = |(at, cell): (usize, Option<String>)| match cell {
        None => Value::Null,
        Some(text) if columns.get(at).is_some_and(|column| column.kind == "bytes") => {
            Value::from(STANDARD.encode(bytes(&text)))
        }
        Some(text) => Value::from(text),
    };
    let rows: Vec<Vec<Value>> =
        answer.rows.into_iter().map(|row| row.into_iter().enumerate().map(cell).collect()).collect();
    let count = answer.done.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default();
    let verb = answer.done.split(' ').next().unwrap_or_default().to_owned();
    DatabaseAnswer { columns, rows, verb, count, ..DatabaseAnswer::default() }
}

/// Bytes that the server wrote as digits.
fn bytes(text: &str) -> Vec<u8> {
    let Some(digits) = text.strip_prefix("\\x") else { return text.as_bytes().to_vec() };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
    digits.as_bytes().chunks(2).filter_map(pair).collect()
}
