//! What cards over a MySQL or MariaDB server share: who is called and how, and the table they keep things in.

use super::postgres::authority;
use crate::domain::error::Result;
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::Input;
use crate::mysql::{MySqlClient, MySqlServer, PORT};
use serde_json::{Map, Value};

pub(crate) const CREDENTIAL: Input = Input::credential(&["MySQLApi"]);
pub(crate) const PORT_INPUT: Input =
    Input::whole("port", "Port", 1.0, 65_535.0).optional().help("Empty: 3306.");
pub(crate) const ADDITIONAL_CONFIG: Input = Input::json("additionalConfig", "Additional Configuration")
    .additional()
    .help("Further settings: ssl as true, or with ca, the certificate of the server's authority.");

/// Settings that mean something to pools of connections or to other encodings, of which there are none here.
const WITHOUT_MEANING: &[&str] = &[
    "charset",
    "connectTimeout",
    "connectionLimit",
    "logging",
    "queueLimit",
    "timezone",
    "type",
    "waitForConnections",
];
/// The longest name that a server of this family takes.
const NAME_CHARS_MAX: usize = 64;

/// The server of a card, not called yet.
///
/// # Errors
/// When something is missing or does not fit its declaration.
pub(crate) fn session(inputs: &Inputs<'_>) -> Result<MySqlClient> {
    let lacks = || inputs.input_error("credential", "select a credential with user and password");
    let port = inputs.whole(PORT_INPUT.name)?.and_then(|port| u16::try_from(port).ok());
    let mut server = MySqlServer {
        host: inputs.text("host")?.trim().to_owned(),
        port: port.unwrap_or(PORT),
        database: inputs.text("database")?.trim().to_owned(),
        user: inputs.optional_secret("user").ok_or_else(lacks)?,
        password: inputs.optional_secret("password").ok_or_else(lacks)?,
        tls: false,
        authorities: None,
    };
    let wrong = |what: String| inputs.input_error(ADDITIONAL_CONFIG.name, &what);
    configure(&mut server, &inputs.object(ADDITIONAL_CONFIG.name)?).map_err(wrong)?;
    Ok(MySqlClient::new(server, inputs.host.outgoing().clone()))
}

/// Takes the settings that harm nobody. Where a call goes and who calls is for inputs and credential alone.
fn configure(server: &mut MySqlServer, more: &Map<String, Value>) -> std::result::Result<(), String> {
    for (name, value) in more {
        match (name.as_str(), value) {
            ("ssl", Value::Bool(tls)) => server.tls = *tls,
            ("ssl", Value::Object(settings)) => {
                server.authorities = authority(settings)?;
                server.tls = true;
            }
            (name, _) if WITHOUT_MEANING.contains(&name) => {}
            (name, _) => return Err(format!("'{name}' cannot be set here, or not to this value")),
        }
    }
    Ok(())
}

/// A table, in the database of the connection or in one it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MySqlTable {
    database: Option<String>,
    name: String,
}

impl MySqlTable {
    /// The table an input names.
    ///
    /// # Errors
    /// When it is no name of letters of the English alphabet, digits and underscores, with one dot at most.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, input: &str, default: &str) -> Result<Self> {
        let text = inputs.optional_text(input).unwrap_or_else(|| default.to_owned());
        let wrong = || {
            let what = "a table is named by letters, digits and underscores, with a database and a dot before it where it \
                        needs one";
            inputs.input_error(input, what)
        };
        Self::parse(&text).ok_or_else(wrong)
    }

    fn parse(text: &str) -> Option<Self> {
        let (database, name) = match text.trim().split_once('.') {
            Some((database, name)) => (Some(database), name),
            None => (None, text.trim()),
        };
        let is_name = |text: &str| {
            (1..=NAME_CHARS_MAX).contains(&text.len())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let fits = is_name(name) && database.is_none_or(is_name);
        fits.then(|| Self { database: database.map(ToOwned::to_owned), name: name.to_owned() })
    }

    /// As it stands in a statement. No character of a checked name needs more than the quotes.
    pub(crate) fn to_sql(&self) -> String {
        let database = self.database.iter().map(|database| format!("`{database}`.")).collect::<String>();
        format!("{database}`{}`", self.name)
    }

    /// Its database where it names one, and its own name.
    pub(crate) fn parts(&self) -> (Option<&str>, &str) {
        (self.database.as_deref(), &self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_of_tables_are_letters_digits_and_underscores() {
        for (text, quoted) in [("records", "`records`"), (" Our_1.books ", "`Our_1`.`books`"), ("2x", "`2x`")]
        {
            assert_eq!(MySqlTable::parse(text).unwrap().to_sql(), quoted);
        }
        for text in ["", ".", "a.", ".a", "a.b.c", "a b", "a`b", "a;", "größe", "a\0", &"x".repeat(65)] {
            assert_eq!(MySqlTable::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn settings_that_lead_elsewhere_or_trust_anybody_are_refused() {
        let configured = |more: Value| {
            let mut server = MySqlServer {
                host: "db".into(),
                port: PORT,
                database: "books".into(),
                user: "ada".into(),
                password: "p".into(),
                tls: false,
                authorities: None,
            };
            configure(&mut server, more.as_object().unwrap()).map(|()| (server.tls, server.authorities))
        };
        assert_eq!(configured(json!({"charset": "utf8mb4", "connectionLimit": 5})), Ok((false, None)));
        assert_eq!(configured(json!({"ssl": true})), Ok((true, None)));
        assert_eq!(configured(json!({"ssl": {"ca": "PEM"}})), Ok((true, Some("PEM".to_owned()))));
        for more in [
            json!({"host": "elsewhere"}),
            json!({"port": 1}),
            json!({"user": "root"}),
            json!({"socketPath": "/run/mysqld/mysqld.sock"}),
            json!({"uri": "mysql://x"}),
            json!({"multipleStatements": true}),
            json!({"flags": "+LOCAL_FILES"}),
            json!({"ssl": "Amazon RDS"}),
            json!({"ssl": {"rejectUnauthorized": false}}),
        ] {
            assert!(configured(more.clone()).is_err(), "{more}");
        }
    }
}
