//! Code asks a MySQL or MariaDB server.

use super::fault::Failure;
use super::saved::Saved;
use super::{Client, Within};
use crate::cards::kit::host::Host;
use crate::limits;
use crate::mysql::{Answer, Bounds, Connection, Kind, MySqlError, Server, Value as Given};
use crate::script::{DatabaseAnswer, DatabaseColumn, DatabaseValue};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

struct MySql {
    server: Server,
    connection: Connection,
}

const fn bounds(within: &Within<'_>) -> Bounds {
    Bounds { time: within.time, rows: limits::CODE_ROWS_MAX, bytes: limits::CODE_ROWS_BYTES_MAX }
}

/// Connects and signs in.
pub(super) fn open(saved: &Saved, host: &dyn Host, within: &Within<'_>) -> Result<Box<dyn Client>, Failure> {
    let server = Server {
        host: saved.host.clone(),
        port: saved.port,
        database: saved.database.clone(),
        user: saved.user.clone(),
        password: saved.password.clone(),
        tls: saved.tls,
        authorities: saved.authorities.clone(),
    };
    let mut connection = Connection::open(&server, host.outgoing(), within.cancel)?;
    connection.limit(&bounds(within), within.cancel)?;
    if !saved.writes {
        connection.run("SET SESSION TRANSACTION READ ONLY", &[], &bounds(within), within.cancel)?;
    }
    Ok(Box::new(MySql { server, connection }))
}

impl Client for MySql {
    fn query(
        &mut self,
        sql: &str,
        values: &[DatabaseValue],
        writes: bool,
        within: &Within<'_>,
    ) -> Result<DatabaseAnswer, Failure> {
        let values = values.iter().map(written).collect::<Result<Vec<_>, _>>()?;
        let bounds = bounds(within);
        if writes {
            return Ok(shaped(self.connection.run(sql, &values, &bounds, within.cancel)?));
        }
        self.connection.run("START TRANSACTION READ ONLY", &[], &bounds, within.cancel)?;
        let asked = self.connection.run(sql, &values, &bounds, within.cancel);
        if asked.as_ref().err().is_none_or(MySqlError::leaves_connection) {
            self.connection.run("ROLLBACK", &[], &bounds, within.cancel)?;
        }
        Ok(shaped(asked?))
    }

    fn stop(self: Box<Self>, host: &dyn Host) {
        self.connection.stop(&self.server, host.outgoing());
    }

    fn close(self: Box<Self>) {
        self.connection.close();
    }
}

fn written(value: &DatabaseValue) -> Result<Given, Failure> {
    Ok(match value {
        DatabaseValue::Null => Given::Null,
        DatabaseValue::Text(text) => Given::Text(text.clone()),
        DatabaseValue::Bytes(base64) => Given::Bytes(
            STANDARD.decode(base64).map_err(|_| Failure::refused("a value's bytes cannot be read"))?,
        ),
        DatabaseValue::Whole(whole) => Given::Whole(*whole),
        DatabaseValue::Number(number) => Given::Number(*number),
        DatabaseValue::Flag(flag) => Given::Flag(*flag),
    })
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Number => "number",
        Kind::Long => "long",
        Kind::Time => "time",
        Kind::Json => "json",
        Kind::Bytes => "bytes",
    }
}

fn shaped(answer: Answer) -> DatabaseAnswer {
    let kinds: Vec<Kind> = answer.columns.iter().map(|column| column.kind).collect();
    let cell = |(at, cell): (usize, Option<Vec<u8>>)| match cell {
        None => Value::Null,
        Some(bytes) if kinds.get(at) == Some(&Kind::Bytes) => Value::from(STANDARD.encode(bytes)),
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
