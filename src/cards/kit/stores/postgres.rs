//! What cards over a PostgreSQL server share: who is called and how (manual 10.4, 10.7).

use super::remote::IntoCardError;
use crate::base::cancel::CancelToken;
use crate::domain::error::{Error, Result};
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::Input;
use crate::postgres::{ColumnName, PORT, PgClient, PgConnection, PgError, PgServer, PgTls, TableName};
use serde_json::{Map, Value};
use std::time::Duration;

pub(crate) const CREDENTIAL: Input = Input::credential(&["PostgresApi"]);
// Host and database decide where a call goes, so they are read like addresses: as the owner saved them.
pub(crate) const HOST: Input =
    Input::address("host", "Host").help("The name or number of the server, without scheme and port.");
pub(crate) const DATABASE: Input = Input::address("database", "Database");
pub(crate) const PORT_INPUT: Input =
    Input::whole("port", "Port", 1.0, 65_535.0).optional().help("Empty: 5432.");
pub(crate) const SSL: Input = Input::switch("ssl", "SSL")
    .additional()
    .help("Encrypts the connection. The server must have a certificate for its host name.");
pub(crate) const ADDITIONAL_CONFIG: Input =
    Input::json("additionalConfig", "Additional Configuration").additional().help(
        "Further settings: application_name, schema, statement_timeout in milliseconds, and ssl with ca, the \
         certificate of the server's authority.",
    );

/// Settings that mean something to pools of connections, of which there is none here.
const OF_POOLS: &[&str] = &[
    "max",
    "min",
    "poolSize",
    "connectionTimeoutMillis",
    "idleTimeoutMillis",
    "keepAlive",
    "keepAliveInitialDelayMillis",
    "allowExitOnIdle",
    "logging",
    "type",
];
/// Longest name by which this service calls itself.
const APPLICATION_CHARS_MAX: usize = 63;
/// Shortest time a statement may be given.
const TIME_MIN: u64 = 100;

impl IntoCardError for PgError {
    fn into_card_error(self, card: &str) -> Error {
        Self::at(self, card)
    }
}

/// The server of a card, not called yet, and the schema its tables are in.
///
/// # Errors
/// When something is missing or does not fit its declaration.
pub(crate) fn session(inputs: &Inputs<'_>) -> Result<(PgClient, Option<ColumnName>)> {
    let lacks = || inputs.input_error("credential", "select a credential with user and password");
    let port = inputs.whole(PORT_INPUT.name)?.and_then(|port| u16::try_from(port).ok());
    let mut server = PgServer {
        host: inputs.text(HOST.name)?.trim().to_owned(),
        port: port.unwrap_or(PORT),
        database: inputs.text(DATABASE.name)?.trim().to_owned(),
        user: inputs.optional_secret("user").ok_or_else(lacks)?,
        password: inputs.optional_secret("password").ok_or_else(lacks)?,
        // Agent memories say it among their further settings alone.
        tls: if inputs.declares(SSL.name) && inputs.switch(SSL.name) { PgTls::Public } else { PgTls::Off },
        application: "flowkeep".to_owned(),
        time: PgServer::TIME_MAX,
    };
    let wrong = |what: String| inputs.input_error(ADDITIONAL_CONFIG.name, &what);
    let schema = configure(&mut server, &inputs.object(ADDITIONAL_CONFIG.name)?).map_err(wrong)?;
    Ok((PgClient::new(server, inputs.host.outgoing().clone()), schema))
}

/// Takes the settings that are known and harm nobody; gives the schema. Where a call goes and who calls is for inputs and
/// credential alone.
fn configure(
    server: &mut PgServer,
    more: &Map<String, Value>,
) -> std::result::Result<Option<ColumnName>, String> {
    let mut schema = None;
    for (name, value) in more {
        match (name.as_str(), value) {
            ("application_name" | "applicationName", Value::String(text))
                if text.chars().count() <= APPLICATION_CHARS_MAX && !text.contains(char::is_control) =>
            {
                server.application.clone_from(text);
            }
            ("schema", Value::String(text)) => {
                let bad = || "schema: this must be a name of letters, digits and underscores".to_owned();
                schema = Some(ColumnName::parse(text).map_err(|_| bad())?);
            }
            ("statement_timeout" | "query_timeout", value) => {
                let time = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
                let time = time.filter(|time| *time >= TIME_MIN);
                let time = time.ok_or_else(|| format!("{name}: this must be {TIME_MIN} or more"))?;
                server.time = server.time.min(Duration::from_millis(time));
            }
            ("ssl", Value::Bool(false)) => {}
            ("ssl", Value::Bool(true)) => {
                if server.tls == PgTls::Off {
                    server.tls = PgTls::Public;
                }
            }
            ("ssl", Value::Object(tls)) => {
                server.tls = authority(tls)?.map_or(PgTls::Public, PgTls::WithAuthorities);
            }
            (name, _) if OF_POOLS.contains(&name) => {}
            (name, _) => return Err(format!("'{name}' cannot be set here, or not to this value")),
        }
    }
    Ok(schema)
}

/// The authority by which a server proves who it is, out of what clients of databases call `ssl`; `None` for those that are
/// trusted everywhere.
///
/// # Errors
/// A sentence about what cannot be set.
pub(crate) fn authority(settings: &Map<String, Value>) -> std::result::Result<Option<String>, String> {
    let mut authority = None;
    for (name, value) in settings {
        match (name.as_str(), value) {
            ("ca", Value::String(text)) => authority = Some(text.clone()),
            ("rejectUnauthorized", Value::Bool(true)) => {}
            ("rejectUnauthorized", _) => {
                return Err(
                    "ssl: the server always has to prove who it is; give its authority as ca".to_owned()
                );
            }
            (name, _) => return Err(format!("ssl: '{name}' cannot be set here, or not to this value")),
        }
    }
    Ok(authority)
}

/// The table an input names.
///
/// # Errors
/// When it is no name.
pub(crate) fn table(
    inputs: &Inputs<'_>,
    input: &str,
    default: &str,
    schema: Option<ColumnName>,
) -> Result<TableName> {
    let name = inputs.optional_text(input);
    let table = TableName::parse(name.as_deref().unwrap_or(default));
    Ok(table.map_err(|error| inputs.input_error(input, &error.to_string()))?.in_schema(schema))
}

/// True when the table is there.
///
/// # Errors
/// As [`PgError`].
pub(crate) fn table_exists(
    connection: &mut PgConnection,
    table: &TableName,
    cancel: &CancelToken,
) -> std::result::Result<bool, PgError> {
    let rows = connection.run("SELECT to_regclass($1::text) IS NOT NULL", &[&table.to_sql()], cancel)?;
    Ok(rows.first().and_then(|row| row.first()?.as_deref()) == Some("t"))
}

/// Makes tables or what they need, unless somebody else is just making the same.
///
/// # Errors
/// As [`PgError`].
pub(crate) fn create(
    connection: &mut PgConnection,
    sql: &str,
    cancel: &CancelToken,
) -> std::result::Result<(), PgError> {
    match connection.run(sql, &[], cancel) {
        // Two who see that nothing is there both make it, and one of them is told so.
        Err(error) if ["23505", "42P07", "42710", "42P06"].iter().any(|code| error.is(code)) => Ok(()),
        made => made.map(|_| ()),
    }
}

/// A text without the one character that the server cannot keep.
pub(crate) fn clean_text(text: &str) -> String {
    text.replace('\0', "")
}

/// A value of which the same holds at every depth.
pub(crate) fn clean_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean_text(text)),
        Value::Array(list) => list.iter().map(clean_value).collect(),
        Value::Object(map) => {
            map.iter().map(|(name, value)| (clean_text(name), clean_value(value))).collect()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn server() -> PgServer {
        PgServer {
            host: "db".into(),
            port: PORT,
            database: "books".into(),
            user: "ada".into(),
            password: "p".into(),
            tls: PgTls::Off,
            application: "flowkeep".into(),
            time: PgServer::TIME_MAX,
        }
    }

    fn configured(more: Value) -> std::result::Result<(PgServer, Option<ColumnName>), String> {
        let mut server = server();
        let schema = configure(&mut server, more.as_object().unwrap())?;
        Ok((server, schema))
    }

    #[test]
    fn harmless_settings_are_taken() {
        let more =
            json!({"application_name": "ours", "schema": "lib", "statement_timeout": "2000", "max": 5});
        let (server, schema) = configured(more).unwrap();
        assert_eq!((server.application.as_str(), server.time), ("ours", Duration::from_secs(2)));
        assert_eq!(schema, Some(ColumnName::parse("lib").unwrap()));
        assert_eq!(configured(json!({"query_timeout": 86_400_000})).unwrap().0.time, PgServer::TIME_MAX);
        assert_eq!(configured(json!({"ssl": true})).unwrap().0.tls, PgTls::Public);
        assert_eq!(configured(json!({"ssl": {"rejectUnauthorized": true}})).unwrap().0.tls, PgTls::Public);
        assert_eq!(
            configured(json!({"ssl": {"ca": "PEM"}})).unwrap().0.tls,
            PgTls::WithAuthorities("PEM".into())
        );
    }

    #[test]
    fn settings_that_lead_elsewhere_or_trust_anybody_are_refused() {
        for more in [
            json!({"host": "elsewhere"}),
            json!({"port": 1}),
            json!({"user": "root"}),
            json!({"username": "root"}),
            json!({"password": "x"}),
            json!({"database": "other"}),
            json!({"connectionString": "postgres://x"}),
            json!({"url": "postgres://x"}),
            json!({"options": "-c x=y"}),
            json!({"stream": {}}),
            json!({"extra": {}}),
            json!({"schema": "a;b"}),
            json!({"schema": 1}),
            json!({"application_name": "a\nb"}),
            json!({"statement_timeout": 0}),
            json!({"ssl": "no"}),
            json!({"ssl": {"rejectUnauthorized": false}}),
            json!({"ssl": {"key": "x"}}),
            json!({"sslmode": "disable"}),
        ] {
            assert!(configured(more.clone()).is_err(), "{more}");
        }
    }

    #[test]
    fn what_the_server_cannot_keep_is_left_out_at_every_depth() {
        let value = json!({"a\0": ["x\0y", {"b": "\0"}], "n": 1, "back": "\\u0000"});
        assert_eq!(clean_value(&value), json!({"a": ["xy", {"b": ""}], "n": 1, "back": "\\u0000"}));
    }
}
