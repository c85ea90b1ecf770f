//! What cards over a Redis server share: who is called and how.

use super::redis_commands::{CommandError, RedisCommand, RedisCommands};
use crate::base::cancel::CancelToken;
use crate::base::hex::to_hex;
use crate::domain::error::Result;
use crate::kit::build::component::ReplyKey;
use crate::kit::build::inputs::Inputs;
use crate::kit::schema::input::Input;
use crate::redis::{PORT, RedisClient, RedisReply, RedisServer};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use url::Url;

/// The server's place and who calls it. Without one it is that of this machine, as the guard allows it.
pub(crate) const CREDENTIAL: Input = Input::credential(&["redisCacheApi", "redisCacheUrlApi"])
    .optional()
    .help("Empty: the server at 127.0.0.1:6379, without a password.");

const HOST: &str = "127.0.0.1";
/// The highest number of a database that any server is set to have.
const DATABASE_MAX: u32 = 1_000_000;

/// The server of a card, not called yet.
///
/// # Errors
/// When its credential names none.
pub(crate) fn session(inputs: &Inputs<'_>) -> Result<RedisClient> {
    let fields = inputs.credential.clone().unwrap_or_default();
    let server = server(&fields).map_err(|why| inputs.input_error(CREDENTIAL.name, why))?;
    Ok(RedisClient::new(server, inputs.host.outgoing().clone()))
}

/// The server that the fields of a credential name.
fn server(fields: &Map<String, Value>) -> std::result::Result<RedisServer, &'static str> {
    let text = |name: &str| {
        let text = fields.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    if let Some(address) = text("redisUrl") {
        return parse_url(&address);
    }
    let port = match fields.get("redisCachePort") {
        Some(Value::String(text)) if text.trim().is_empty() => None,
        Some(Value::String(text)) => Some(text.trim().parse().ok()),
        Some(Value::Number(number)) => Some(number.as_u64().and_then(|port| u16::try_from(port).ok())),
        _ => None,
    };
    Ok(RedisServer {
        host: text("redisCacheHost").unwrap_or_else(|| HOST.to_owned()),
        port: port.unwrap_or(Some(PORT)).ok_or("its port must be a number up to 65535")?,
        user: text("redisCacheUser"),
        // Blanks at its ends may belong to it.
        password: fields
            .get("redisCachePwd")
            .and_then(Value::as_str)
            .filter(|password| !password.is_empty())
            .map(str::to_owned),
        database: 0,
        tls: match fields.get("redisCacheSslEnabled") {
            Some(Value::Bool(on)) => *on,
            Some(Value::String(text)) => text == "true",
            _ => false,
        },
    })
}

/// `redis://user:password@host:port/database`, or `rediss://` for one over TLS.
fn parse_url(text: &str) -> std::result::Result<RedisServer, &'static str> {
    const FORM: &str =
        "its Redis URL must look like redis://user:password@host:port/database, or rediss:// with SSL";
    let url = Url::parse(text).map_err(|_| FORM)?;
    let plain =
        |text: &str| percent_decode_str(text).decode_utf8().map(|text| text.into_owned()).map_err(|_| FORM);
    let tls = match url.scheme() {
        "redis" => false,
        "rediss" => true,
        _ => return Err(FORM),
    };
    let of_query =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let number = match url.path().trim_start_matches('/') {
        "" => of_query("db").unwrap_or_else(|| "0".to_owned()),
        path => path.to_owned(),
    };
    let database = number.parse().ok().filter(|number| *number <= DATABASE_MAX).ok_or(FORM)?;
    let user = plain(url.username())?;
    Ok(RedisServer {
        host: url.host_str().filter(|host| !host.is_empty()).ok_or(FORM)?.to_owned(),
        port: url.port().unwrap_or(PORT),
        user: (!user.is_empty()).then_some(user),
        password: url.password().map(plain).transpose()?.filter(|password| !password.is_empty()),
        database,
        tls,
    })
}

/// Where cards keep what they can do without: what cannot be kept or found is made again. A server that fails is left alone
/// for the rest of the run, so that nobody waits for it twice, and the log says why.
pub(crate) struct RedisStore {
    label: String,
    commands: Box<dyn RedisCommands>,
    /// What keys begin with: several uses share a server.
    prefix: String,
    time: Option<Duration>,
    is_away: AtomicBool,
}

/// Keys that are asked for at once: what comes back stays well within a reply.
const KEYS_AT_ONCE: usize = 256;

impl RedisStore {
    /// The server of a card. What is kept is forgotten after `time`, or never.
    ///
    /// # Errors
    /// As [`session`].
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, prefix: String, time: Option<Duration>) -> Result<Self> {
        Ok(Self::new(inputs, Box::new(session(inputs)?), prefix, time))
    }

    /// As [`Self::from_inputs`], over whatever runs commands.
    pub(crate) fn new(
        inputs: &Inputs<'_>,
        commands: Box<dyn RedisCommands>,
        prefix: String,
        time: Option<Duration>,
    ) -> Self {
        let label = inputs.label.to_owned();
        Self { label, commands, prefix, time, is_away: AtomicBool::new(false) }
    }

    /// What is kept under these keys, in their order.
    pub(crate) fn find(&self, keys: &[ReplyKey], cancel: &CancelToken) -> Vec<Option<Vec<u8>>> {
        let mut found = Vec::with_capacity(keys.len());
        for some in keys.chunks(KEYS_AT_ONCE) {
            let names: Vec<String> = some.iter().map(|key| self.name(key)).collect();
            let mut command: Vec<&[u8]> = vec![b"MGET"];
            command.extend(names.iter().map(String::as_bytes));
            match self.attempt(cancel, |commands| commands.run(&command, cancel)) {
                Some(RedisReply::List(values)) if values.len() == some.len() => {
                    found.extend(values.into_iter().map(|value| match value {
                        RedisReply::Bytes(bytes) => Some(bytes),
                        _ => None,
                    }));
                }
                _ => found.extend(some.iter().map(|_| None)),
            }
        }
        found
    }

    pub(crate) fn store(&self, kept: &[(ReplyKey, Vec<u8>)], cancel: &CancelToken) {
        let time = self.time.map(|time| time.as_millis().to_string());
        for some in kept.chunks(KEYS_AT_ONCE) {
            let names: Vec<String> = some.iter().map(|(key, _)| self.name(key)).collect();
            let commands: Vec<Vec<&[u8]>> = some
                .iter()
                .zip(&names)
                .map(|((_, bytes), name)| {
                    let mut command: Vec<&[u8]> = vec![b"SET", name.as_bytes(), bytes];
                    command.extend(time.iter().flat_map(|time| [b"PX", time.as_bytes()]));
                    command
                })
                .collect();
            let all: Vec<&RedisCommand<'_>> = commands.iter().map(Vec::as_slice).collect();
            self.attempt(cancel, |commands| commands.run_all(&all, cancel));
        }
    }

    fn name(&self, key: &ReplyKey) -> String {
        format!("{}{}", self.prefix, to_hex(key))
    }

    fn attempt<T>(
        &self,
        cancel: &CancelToken,
        work: impl FnOnce(&dyn RedisCommands) -> std::result::Result<T, CommandError>,
    ) -> Option<T> {
        if self.is_away.load(Ordering::Relaxed) {
            return None;
        }
        let done = work(self.commands.as_ref());
        done.map_err(|error| {
            if cancel.reason().is_none() {
                self.is_away.store(true, Ordering::Relaxed);
                error.log(&self.label);
                tracing::warn!(
                    target: "flowkeep::cards::kit::stores::redis", card = self.label,
                    "nothing is kept or found for the rest of this run: {error}"
                );
            }
        })
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(fields: Value) -> String {
        match server(fields.as_object().unwrap()) {
            Ok(server) => format!(
                "{}:{}/{} {:?} {:?} {}",
                server.host, server.port, server.database, server.user, server.password, server.tls
            ),
            Err(why) => why.to_owned(),
        }
    }

    #[test]
    fn both_credentials_of_the_family_name_a_server() {
        for (fields, expected) in [
            (json!({}), "127.0.0.1:6379/0 None None false"),
            (
                json!({"redisCacheHost": "h", "redisCachePort": "7", "redisCacheUser": "u", "redisCachePwd": " p ",
                    "redisCacheSslEnabled": true}),
                r#"h:7/0 Some("u") Some(" p ") true"#,
            ),
            (json!({"redisCachePort": 8, "redisCacheSslEnabled": false}), "127.0.0.1:8/0 None None false"),
            (json!({"redisCachePort": "", "redisCacheUser": ""}), "127.0.0.1:6379/0 None None false"),
            (json!({"redisUrl": "redis://localhost:6379"}), "localhost:6379/0 None None false"),
            (json!({"redisUrl": "rediss://:p%40q@h/3"}), r#"h:6379/3 None Some("p@q") true"#),
            (json!({"redisUrl": "redis://u:p@[::1]:7/0?x=y"}), r#"[::1]:7/0 Some("u") Some("p") false"#),
            (json!({"redisUrl": "redis://h?db=2"}), "h:6379/2 None None false"),
        ] {
            assert_eq!(shown(fields.clone()), expected, "{fields}");
        }
    }

    #[test]
    fn what_names_no_server_is_refused_without_repeating_it() {
        for fields in [
            json!({"redisCachePort": "six"}),
            json!({"redisCachePort": 70_000}),
            json!({"redisUrl": "http://:secret@h"}),
            json!({"redisUrl": "h:6379"}),
            json!({"redisUrl": "redis:///1"}),
            json!({"redisUrl": "redis://:secret@h/one"}),
            json!({"redisUrl": "redis://h/-1"}),
        ] {
            let why = shown(fields.clone());
            assert!(why.starts_with("its ") && !why.contains("secret"), "{fields}: {why}");
        }
    }
}
