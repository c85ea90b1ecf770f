//! Which saved credential code means, and what it says of a server.

use crate::domain::error::Result;
use crate::script::{DatabaseKind, DatabaseTarget};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use url::Url;

const POSTGRES: &str = "PostgresApi";
const POSTGRES_URL: &str = "PostgresUrl";
const MYSQL: &str = "MySQLApi";
/// The types of credentials that code may name.
pub const CREDENTIAL_TYPES: &[&str] = &[POSTGRES, POSTGRES_URL, MYSQL];
/// Longest piece of what code says that is repeated to people.
const SHOWN_CHARS_MAX: usize = 80;

/// A server that code may ask. It holds a password, so it has no `Debug`.
pub(super) struct SavedDatabase {
    pub(super) name: String,
    pub(super) family: DatabaseKind,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) database: String,
    pub(super) user: String,
    pub(super) password: String,
    pub(super) tls: bool,
    pub(super) authorities: Option<String>,
    pub(super) writes: bool,
}

/// Finds the credential that is meant, and opens it.
///
/// # Errors
/// A sentence that says what to write or to save.
pub(super) fn find(
    saved: &dyn DatabaseCredentials,
    place: &DatabaseTarget,
) -> std::result::Result<SavedDatabase, String> {
    let types: &[&str] = match place.family {
        Some(DatabaseKind::Postgres) => &[POSTGRES, POSTGRES_URL],
        Some(DatabaseKind::Mysql) => &[MYSQL],
        None => CREDENTIAL_TYPES,
    };
    let mut listed = saved.list(types).map_err(|error| error.to_string())?;
    let Some(wanted) = &place.credential else { return by_place(saved, place, listed) };
    let (wanted, quote_for_message) = (wanted.trim(), quote_for_message(wanted));
    listed.retain(|one| one.name == wanted || one.id == wanted);
    let kinds = kinds(place.family);
    match listed.as_slice() {
        [] => Err(format!(
            "{}: there is no credential '{quote_for_message}' of the type {kinds} in this workspace",
            place.call
        )),
        [one] => open(saved, one)?.map_err(|why| format!("database '{}': {why}", one.name)),
        _ => Err(format!(
            "{}: several credentials are called '{quote_for_message}'; write the id of the one that is meant",
            place.call
        )),
    }
}

/// The only one that is at the place which code names.
fn by_place(
    saved: &dyn DatabaseCredentials,
    place: &DatabaseTarget,
    listed: Vec<ListedCredential>,
) -> std::result::Result<SavedDatabase, String> {
    let fits = |saved: &SavedDatabase| {
        place.host.as_ref().is_none_or(|host| host.eq_ignore_ascii_case(&saved.host))
            && place.database.as_ref().is_none_or(|database| *database == saved.database)
    };
    // One that cannot be opened, or names no server, is none of those that are looked for.
    let opened = listed.iter().filter_map(|one| open(saved, one).ok()?.ok());
    let mut found: Vec<SavedDatabase> = opened.filter(fits).collect();
    let instead = format!("write {} with {{ credential: \"its name\" }}", place.call);
    match (found.len(), found.pop()) {
        (1, Some(saved)) => Ok(saved),
        (0, _) => {
            let called = |label: &str, text: &Option<String>| {
                text.as_deref().map(|text| format!(" {label} '{}'", quote_for_message(text)))
            };
            let parts = [called("Host", &place.host), called("Database", &place.database)];
            let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(" and");
            let with = if parts.is_empty() { String::new() } else { format!(" with{parts}") };
            Err(format!(
                "{}: code connects with credentials that are saved here and never with a password of its own. Save one of \
                 the type {}{with}, or {instead}",
                place.call,
                kinds(place.family)
            ))
        }
        _ => Err(format!("{}: several saved credentials fit; {instead}", place.call)),
    }
}

fn kinds(family: Option<DatabaseKind>) -> &'static str {
    match family {
        Some(DatabaseKind::Postgres) => "Postgres API",
        Some(DatabaseKind::Mysql) => "MySQL API",
        None => "Postgres API or MySQL API",
    }
}

fn quote_for_message(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(SHOWN_CHARS_MAX).collect()
}

/// The credentials of a workspace that code may name.
pub trait DatabaseCredentials: Send + Sync {
    /// Those that are of one of these types; no fields.
    ///
    /// # Errors
    /// When they cannot be read.
    fn list(&self, types: &[&str]) -> Result<Vec<ListedCredential>>;

    /// The fields of one of them; `None` when it is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    fn open(&self, id: &str) -> Result<Option<Map<String, Value>>>;
}

/// A credential without its fields.
#[derive(Debug, Clone)]
pub struct ListedCredential {
    pub id: String,
    pub name: String,
    pub kind: String,
}

/// The outer error is about reading the credential, the inner one about what it says.
fn open(
    saved: &dyn DatabaseCredentials,
    one: &ListedCredential,
) -> std::result::Result<std::result::Result<SavedDatabase, String>, String> {
    let opened: Result<Option<Map<String, Value>>> = saved.open(&one.id);
    let fields = opened.map_err(|error| error.to_string())?;
    let fields =
        fields.ok_or_else(|| format!("the credential '{}' is gone", quote_for_message(&one.name)))?;
    let saved =
        if one.kind == POSTGRES_URL { parse_address(one, &fields) } else { parse_fields(one, &fields) };
    Ok(saved)
}

fn parse_fields(
    one: &ListedCredential,
    fields: &Map<String, Value>,
) -> std::result::Result<SavedDatabase, String> {
    let text = |name: &str| {
        let text = fields.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        text.to_owned()
    };
    let family = if one.kind == MYSQL { DatabaseKind::Mysql } else { DatabaseKind::Postgres };
    let missing = "the credential names no server that code may ask; fill in Host and Database there";
    let (host, database) = (text("host"), text("database"));
    if host.is_empty() || (database.is_empty() && family == DatabaseKind::Postgres) {
        return Err(missing.to_owned());
    }
    let authorities = Some(text("certificate")).filter(|text| !text.is_empty()).map(|text| lines_of(&text));
    let password = fields.get("password").and_then(Value::as_str).unwrap_or_default();
    Ok(SavedDatabase {
        name: one.name.clone(),
        family,
        host,
        port: port(fields.get("port"), family)?,
        database,
        user: text("user"),
        password: password.to_owned(),
        tls: is_on(fields, "ssl"),
        authorities,
        writes: is_on(fields, "allowWrites"),
    })
}

fn parse_address(
    one: &ListedCredential,
    fields: &Map<String, Value>,
) -> std::result::Result<SavedDatabase, String> {
    let wrong = || "the credential's address must be postgres://user:password@host:port/database".to_owned();
    let text = fields.get("postgresUrl").and_then(Value::as_str).unwrap_or_default().trim();
    let url = Url::parse(text).map_err(|_| wrong())?;
    if !["postgres", "postgresql"].contains(&url.scheme()) {
        return Err(wrong());
    }
    let plain = |text: &str| percent_decode_str(text).decode_utf8().map(std::borrow::Cow::into_owned);
    let database = plain(url.path().trim_start_matches('/')).map_err(|_| wrong())?;
    let host = url.host_str().unwrap_or_default().to_owned();
    if host.is_empty() || database.is_empty() {
        return Err(wrong());
    }
    let mode = url.query_pairs().find(|(name, _)| name == "sslmode").map(|(_, mode)| mode.into_owned());
    Ok(SavedDatabase {
        name: one.name.clone(),
        family: DatabaseKind::Postgres,
        host,
        port: url.port().unwrap_or(crate::postgres::PORT),
        database,
        user: plain(url.username()).map_err(|_| wrong())?,
        password: plain(url.password().unwrap_or_default()).map_err(|_| wrong())?,
        tls: mode.is_some_and(|mode| ["require", "verify-ca", "verify-full"].contains(&mode.as_str())),
        authorities: None,
        writes: is_on(fields, "allowWrites"),
    })
}

/// A certificate whose lines became one, as a field of one line makes them, in lines again.
fn lines_of(certificate: &str) -> String {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    const END: &str = "-----END CERTIFICATE-----";
    if certificate.contains('\n') {
        return certificate.to_owned();
    }
    let pieces = certificate.split(BEGIN).skip(1).map(|piece| {
        let body = piece.split(END).next().unwrap_or_default();
        format!("{BEGIN}\n{}\n{END}\n", body.split_whitespace().collect::<Vec<_>>().join("\n"))
    });
    pieces.collect()
}

fn is_on(fields: &Map<String, Value>, name: &str) -> bool {
    fields.get(name).and_then(Value::as_bool).unwrap_or_default()
}

fn port(given: Option<&Value>, family: DatabaseKind) -> std::result::Result<u16, String> {
    let usual = match family {
        DatabaseKind::Postgres => crate::postgres::PORT,
        DatabaseKind::Mysql => crate::mysql::PORT,
    };
    match given {
        None | Some(Value::Null) => Ok(usual),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(usual),
        Some(value) => {
            let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
            let number = number.and_then(|number| u16::try_from(number).ok()).filter(|port| *port > 0);
            number.ok_or_else(|| "Port of the credential must be a number from 1 to 65535".to_owned())
        }
    }
}
