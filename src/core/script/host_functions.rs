//! The few functions of the worker that code can reach, through the prelude: saying a line, waiting, asking for a request
//! a call or a database, taking an address apart, and those of [`super::bytes`].
//! Each is bounded, and none can do anything but compute or write down what is wanted.

use super::bytes;
use super::database::DatabaseRequest;
use super::engine::eval_options;
use super::fetch::FetchRequest;
use super::protocol::{ConsoleLevel, ConsoleLine};
use crate::limits;
use rquickjs::{Ctx, Exception, Function, Object};
use serde_json::json;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use url::{Url, quirks};

/// Bytes of the console that are kept (manual 14.12).
const CODE_CONSOLE_BYTES_MAX: usize = 64 * 1024;
/// Timers of one run of code that wait at the same time (manual 14.12).
const CODE_TIMERS_MAX: usize = 1_000;
/// Requests of one run of code that are under way at the same time (manual 14.12).
const CODE_FETCHES_AT_ONCE_MAX: usize = 6;
/// Longest request of code: address, headers and body (manual 14.12).
const CODE_FETCH_REQUEST_BYTES_MAX: usize = 1024 * 1024;

/// What code wants of the worker, and what it said.
#[derive(Default)]
pub(super) struct PendingCalls {
    pub lines: Vec<ConsoleLine>,
    line_bytes: usize,
    /// Whether lines were dropped because there were too many.
    pub cut: bool,
    /// Timers by the moment at which they are due.
    timers: BTreeMap<(Instant, u32), ()>,
    timer_due: BTreeMap<u32, Instant>,
    /// Requests that have not been sent yet.
    requests: VecDeque<(u32, FetchRequest)>,
    requests_count: u32,
    /// Requests that were sent and have no answer.
    pub in_flight: usize,
    /// Calls that were not sent yet: number, name, and arguments as JSON.
    calls: VecDeque<(u32, String, String)>,
    calls_count: u32,
    /// What was not asked of databases yet.
    queries: VecDeque<(u32, DatabaseRequest)>,
    queries_count: u32,
    /// Calls, of tools and of databases, without an answer.
    pub called: usize,
}

impl PendingCalls {
    fn log_line(&mut self, loudness: ConsoleLevel, text: String) {
        if self.lines.len() >= limits::CODE_CONSOLE_LINES_MAX
            || self.line_bytes + text.len() > CODE_CONSOLE_BYTES_MAX
        {
            self.cut = true;
            return;
        }
        self.line_bytes += text.len();
        self.lines.push(ConsoleLine { loudness, text });
    }

    /// The moment the next timer is due.
    pub(super) fn next_timer(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|(&(due, _), ())| due)
    }

    /// Takes a timer that is due.
    pub(super) fn take_due_timer(&mut self, now: Instant) -> Option<u32> {
        let (&(due, id), ()) = self.timers.first_key_value()?;
        if due > now {
            return None;
        }
        self.timers.remove(&(due, id));
        self.timer_due.remove(&id);
        Some(id)
    }

    /// Takes a request that may be sent now.
    pub(super) fn next_request(&mut self) -> Option<(u32, FetchRequest)> {
        if self.in_flight >= CODE_FETCHES_AT_ONCE_MAX {
            return None;
        }
        let next = self.requests.pop_front()?;
        self.in_flight += 1;
        Some(next)
    }

    /// Takes a call, with its number, name and arguments.
    pub(super) fn next_call(&mut self) -> Option<(u32, String, String)> {
        let next = self.calls.pop_front()?;
        self.called += 1;
        Some(next)
    }

    /// Takes what a database is to be asked, with its number.
    pub(super) fn next_query(&mut self) -> Option<(u32, DatabaseRequest)> {
        let next = self.queries.pop_front()?;
        self.called += 1;
        Some(next)
    }

    /// Whether anything from outside can still move the code.
    pub(super) fn is_waiting(&self) -> bool {
        self.in_flight > 0 || self.called > 0 || !self.timers.is_empty()
    }

    fn set_timer(&mut self, id: u32, milliseconds: f64) -> Result<(), &'static str> {
        if self.timers.len() >= CODE_TIMERS_MAX {
            return Err("too many timers");
        }
        // Far beyond the longest run either way, and not a number becomes none.
        let wait = Duration::from_millis(milliseconds.clamp(0.0, 86_400_000.0) as u64);
        let due = Instant::now() + wait;
        self.timers.insert((due, id), ());
        self.timer_due.insert(id, due);
        Ok(())
    }

    fn clear_timer(&mut self, id: u32) {
        if let Some(due) = self.timer_due.remove(&id) {
            self.timers.remove(&(due, id));
        }
    }

    fn queue_request(&mut self, json: &str) -> Result<u32, &'static str> {
        if json.len() > CODE_FETCH_REQUEST_BYTES_MAX {
            return Err("the request is too large");
        }
        if self.requests_count >= limits::CODE_FETCHES_MAX {
            return Err("too many requests in one run");
        }
        let request = serde_json::from_str(json).map_err(|_| "the request cannot be read")?;
        self.requests_count += 1;
        self.requests.push_back((self.requests_count, request));
        Ok(self.requests_count)
    }

    fn queue_call(&mut self, name: String, arguments: String) -> Result<u32, &'static str> {
        if arguments.len() > CODE_FETCH_REQUEST_BYTES_MAX {
            return Err("the arguments are too large");
        }
        if self.calls_count >= limits::CODE_CALLS_MAX {
            return Err("too many calls in one run");
        }
        self.calls_count += 1;
        self.calls.push_back((self.calls_count, name, arguments));
        Ok(self.calls_count)
    }

    fn queue_query(&mut self, json: &str) -> Result<u32, &'static str> {
        if json.len() > CODE_FETCH_REQUEST_BYTES_MAX {
            return Err("the statement and its values are too large");
        }
        if self.queries_count >= limits::CODE_QUERIES_MAX {
            return Err("too many statements in one run");
        }
        let ask = serde_json::from_str(json).map_err(|_| "the statement or its values cannot be read")?;
        self.queries_count += 1;
        self.queries.push_back((self.queries_count, ask));
        Ok(self.queries_count)
    }
}

/// The parts of the prelude that are read when code first uses them, by name.
const PRELUDE_PARTS: &[(&str, &str)] = &[
    ("address", include_str!("prelude/address.js")),
    ("assert", include_str!("prelude/assert.js")),
    ("buffer", include_str!("prelude/buffer.js")),
    ("clone", include_str!("prelude/clone.js")),
    ("crypto", include_str!("prelude/crypto.js")),
    ("databases", include_str!("prelude/databases.js")),
    ("events", include_str!("prelude/events.js")),
    ("fetch", include_str!("prelude/fetch.js")),
    ("messages", include_str!("prelude/messages.js")),
    ("path", include_str!("prelude/path.js")),
    ("querystring", include_str!("prelude/querystring.js")),
    ("text", include_str!("prelude/text.js")),
    ("zlib", include_str!("prelude/zlib.js")),
];

fn load_prelude_part<'js>(ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
    match PRELUDE_PARTS.iter().find(|(known, _)| *known == name) {
        Some((_, source)) => ctx.eval_with_options(*source, eval_options("prelude")),
        None => Err(Exception::throw_type(ctx, "there is no such part")),
    }
}

fn resolve_url(text: &str, base: &str) -> Option<String> {
    let base = if base.is_empty() { None } else { Some(Url::parse(base).ok()?) };
    let url = Url::options().base_url(base.as_ref()).parse(text).ok()?;
    Some(url_parts(&url))
}

/// An address with one piece changed; what the piece cannot be leaves it as it was, as on the web.
fn set_url_part(address: &str, piece: &str, value: &str) -> Option<String> {
    let mut url = Url::parse(address).ok()?;
    match piece {
        "href" => url = Url::parse(value).ok()?,
        "protocol" => drop(quirks::set_protocol(&mut url, value)),
        "username" => drop(quirks::set_username(&mut url, value)),
        "password" => drop(quirks::set_password(&mut url, value)),
        "host" => drop(quirks::set_host(&mut url, value)),
        "hostname" => drop(quirks::set_hostname(&mut url, value)),
        "port" => drop(quirks::set_port(&mut url, value)),
        "pathname" => quirks::set_pathname(&mut url, value),
        "search" => quirks::set_search(&mut url, value),
        "hash" => quirks::set_hash(&mut url, value),
        _ => {}
    }
    Some(url_parts(&url))
}

/// An address taken apart, as JSON with the names that `URL` gives its pieces.
fn url_parts(url: &Url) -> String {
    let pieces = json!({
        "href": url.as_str(), "origin": quirks::origin(url), "protocol": quirks::protocol(url),
        "username": quirks::username(url), "password": quirks::password(url), "host": quirks::host(url),
        "hostname": quirks::hostname(url), "port": quirks::port(url), "pathname": quirks::pathname(url),
        "search": quirks::search(url), "hash": quirks::hash(url),
    });
    pieces.to_string()
}

/// The object the prelude gets.
pub(super) fn build_host_object<'js>(
    ctx: &Ctx<'js>,
    wishes: &Rc<RefCell<PendingCalls>>,
) -> rquickjs::Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let kept = wishes.clone();
    let log = move |level: u32, text: String| {
        let loudness = match level {
            0 => ConsoleLevel::Log,
            1 => ConsoleLevel::Warn,
            _ => ConsoleLevel::Error,
        };
        kept.borrow_mut().log_line(loudness, text);
    };
    native.set("log", Function::new(ctx.clone(), log)?)?;
    let kept = wishes.clone();
    let timer = move |ctx: Ctx<'js>, id: u32, milliseconds: f64| {
        kept.borrow_mut().set_timer(id, milliseconds).map_err(|why| Exception::throw_range(&ctx, why))
    };
    native.set("timer", Function::new(ctx.clone(), timer)?)?;
    let kept = wishes.clone();
    native.set("untimer", Function::new(ctx.clone(), move |id: u32| kept.borrow_mut().clear_timer(id))?)?;
    let kept = wishes.clone();
    let fetch = move |ctx: Ctx<'js>, json: String| {
        kept.borrow_mut().queue_request(&json).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("fetch", Function::new(ctx.clone(), fetch)?)?;
    let kept = wishes.clone();
    let call = move |ctx: Ctx<'js>, name: String, arguments: String| {
        kept.borrow_mut().queue_call(name, arguments).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("call", Function::new(ctx.clone(), call)?)?;
    let kept = wishes.clone();
    let ask = move |ctx: Ctx<'js>, json: String| {
        kept.borrow_mut().queue_query(&json).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("ask", Function::new(ctx.clone(), ask)?)?;
    let address = |ctx: Ctx<'js>, text: String, base: String| {
        resolve_url(&text, &base).ok_or_else(|| Exception::throw_type(&ctx, "Invalid URL"))
    };
    native.set("address", Function::new(ctx.clone(), address)?)?;
    let set_url_part = |ctx: Ctx<'js>, address: String, piece: String, value: String| {
        set_url_part(&address, &piece, &value).ok_or_else(|| Exception::throw_type(&ctx, "Invalid URL"))
    };
    native.set("readdress", Function::new(ctx.clone(), set_url_part)?)?;
    native.set(
        "part",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, name: String| load_prelude_part(&ctx, &name))?,
    )?;
    bytes::install(ctx, &native)?;
    Ok(native)
}
