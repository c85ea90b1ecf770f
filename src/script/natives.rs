//! The few functions of the worker that code can reach, through the prelude: saying a line, waiting, asking for a request
//! a call or a database, taking an address apart, and those of [`super::bytes`].
//! Each is bounded, and none can do anything but compute or write down what is wanted.

use super::bytes;
use super::database::DatabaseAsk;
use super::engine::named;
use super::fetch::FetchRequest;
use super::protocol::{Line, Loudness};
use crate::limits;
use rquickjs::{Ctx, Exception, Function, Object};
use serde_json::json;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use url::{Url, quirks};

/// What code wants of the worker, and what it said.
#[derive(Default)]
pub(super) struct Wishes {
    pub lines: Vec<Line>,
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
    pub on_the_way: usize,
    /// Calls that were not sent yet: number, name, and arguments as JSON.
    calls: VecDeque<(u32, String, String)>,
    calls_count: u32,
    /// What was not asked of databases yet.
    asks: VecDeque<(u32, DatabaseAsk)>,
    asks_count: u32,
    /// Calls, of tools and of databases, without an answer.
    pub called: usize,
}

impl Wishes {
    fn say(&mut self, loudness: Loudness, text: String) {
        if self.lines.len() >= limits::CODE_CONSOLE_LINES_MAX
            || self.line_bytes + text.len() > limits::CODE_CONSOLE_BYTES_MAX
        {
            self.cut = true;
            return;
        }
        self.line_bytes += text.len();
        self.lines.push(Line { loudness, text });
    }

    /// The moment the next timer is due.
    pub(super) fn next_timer(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|(&(due, _), ())| due)
    }

    /// Takes a timer that is due.
    pub(super) fn due(&mut self, now: Instant) -> Option<u32> {
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
        if self.on_the_way >= limits::CODE_FETCHES_AT_ONCE_MAX {
            return None;
        }
        let next = self.requests.pop_front()?;
        self.on_the_way += 1;
        Some(next)
    }

    /// Takes a call, with its number, name and arguments.
    pub(super) fn next_call(&mut self) -> Option<(u32, String, String)> {
        let next = self.calls.pop_front()?;
        self.called += 1;
        Some(next)
    }

    /// Takes what a database is to be asked, with its number.
    pub(super) fn next_ask(&mut self) -> Option<(u32, DatabaseAsk)> {
        let next = self.asks.pop_front()?;
        self.called += 1;
        Some(next)
    }

    /// Whether anything from outside can still move the code.
    pub(super) fn waits_for_something(&self) -> bool {
        self.on_the_way > 0 || self.called > 0 || !self.timers.is_empty()
    }

    fn timer(&mut self, id: u32, milliseconds: f64) -> Result<(), &'static str> {
        if self.timers.len() >= limits::CODE_TIMERS_MAX {
            return Err("too many timers");
        }
        // Far beyond the longest run either way, and not a number becomes none.
        let wait = Duration::from_millis(milliseconds.clamp(0.0, 86_400_000.0) as u64);
        let due = Instant::now() + wait;
        self.timers.insert((due, id), ());
        self.timer_due.insert(id, due);
        Ok(())
    }

    fn untimer(&mut self, id: u32) {
        if let Some(due) = self.timer_due.remove(&id) {
            self.timers.remove(&(due, id));
        }
    }

    fn request(&mut self, json: &str) -> Result<u32, &'static str> {
        if json.len() > limits::CODE_FETCH_REQUEST_BYTES_MAX {
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

    fn call(&mut self, name: String, arguments: String) -> Result<u32, &'static str> {
        if arguments.len() > limits::CODE_FETCH_REQUEST_BYTES_MAX {
            return Err("the arguments are too large");
        }
        if self.calls_count >= limits::CODE_CALLS_MAX {
            return Err("too many calls in one run");
        }
        self.calls_count += 1;
        self.calls.push_back((self.calls_count, name, arguments));
        Ok(self.calls_count)
    }

    fn ask(&mut self, json: &str) -> Result<u32, &'static str> {
        if json.len() > limits::CODE_FETCH_REQUEST_BYTES_MAX {
            return Err("the statement and its values are too large");
        }
        if self.asks_count >= limits::CODE_QUERIES_MAX {
            return Err("too many statements in one run");
        }
        let ask = serde_json::from_str(json).map_err(|_| "the statement or its values cannot be read")?;
        self.asks_count += 1;
        self.asks.push_back((self.asks_count, ask));
        Ok(self.asks_count)
    }
}

/// The parts of the prelude that are read when code first uses them, by name.
const PARTS: &[(&str, &str)] = &[
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

fn part<'js>(ctx: &Ctx<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
    match PARTS.iter().find(|(known, _)| *known == name) {
        Some((_, source)) => ctx.eval_with_options(*source, named("prelude")),
        None => Err(Exception::throw_type(ctx, "there is no such part")),
    }
}

fn address(text: &str, base: &str) -> Option<String> {
    let base = if base.is_empty() { None } else { Some(Url::parse(base).ok()?) };
    let url = Url::options().base_url(base.as_ref()).parse(text).ok()?;
    Some(pieces(&url))
}

/// An address with one piece changed; what the piece cannot be leaves it as it was, as on the web.
fn readdress(address: &str, piece: &str, value: &str) -> Option<String> {
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
    Some(pieces(&url))
}

/// An address taken apart, as JSON with the names that `URL` gives its pieces.
fn pieces(url: &Url) -> String {
    let pieces = json!({
        "href": url.as_str(), "origin": quirks::origin(url), "protocol": quirks::protocol(url),
        "username": quirks::username(url), "password": quirks::password(url), "host": quirks::host(url),
        "hostname": quirks::hostname(url), "port": quirks::port(url), "pathname": quirks::pathname(url),
        "search": quirks::search(url), "hash": quirks::hash(url),
    });
    pieces.to_string()
}

/// The object the prelude gets.
pub(super) fn natives<'js>(ctx: &Ctx<'js>, wishes: &Rc<RefCell<Wishes>>) -> rquickjs::Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    let kept = wishes.clone();
    let log = move |level: u32, text: String| {
        let loudness = match level {
            0 => Loudness::Log,
            1 => Loudness::Warn,
            _ => Loudness::Error,
        };
        kept.borrow_mut().say(loudness, text);
    };
    native.set("log", Function::new(ctx.clone(), log)?)?;
    let kept = wishes.clone();
    let timer = move |ctx: Ctx<'js>, id: u32, milliseconds: f64| {
        kept.borrow_mut().timer(id, milliseconds).map_err(|why| Exception::throw_range(&ctx, why))
    };
    native.set("timer", Function::new(ctx.clone(), timer)?)?;
    let kept = wishes.clone();
    native.set("untimer", Function::new(ctx.clone(), move |id: u32| kept.borrow_mut().untimer(id))?)?;
    let kept = wishes.clone();
    let fetch = move |ctx: Ctx<'js>, json: String| {
        kept.borrow_mut().request(&json).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("fetch", Function::new(ctx.clone(), fetch)?)?;
    let kept = wishes.clone();
    let call = move |ctx: Ctx<'js>, name: String, arguments: String| {
        kept.borrow_mut().call(name, arguments).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("call", Function::new(ctx.clone(), call)?)?;
    let kept = wishes.clone();
    let ask = move |ctx: Ctx<'js>, json: String| {
        kept.borrow_mut().ask(&json).map_err(|why| Exception::throw_type(&ctx, why))
    };
    native.set("ask", Function::new(ctx.clone(), ask)?)?;
    let address = |ctx: Ctx<'js>, text: String, base: String| {
        address(&text, &base).ok_or_else(|| Exception::throw_type(&ctx, "Invalid URL"))
    };
    native.set("address", Function::new(ctx.clone(), address)?)?;
    let readdress = |ctx: Ctx<'js>, address: String, piece: String, value: String| {
        readdress(&address, &piece, &value).ok_or_else(|| Exception::throw_type(&ctx, "Invalid URL"))
    };
    native.set("readdress", Function::new(ctx.clone(), readdress)?)?;
    native.set("part", Function::new(ctx.clone(), |ctx: Ctx<'js>, name: String| part(&ctx, &name))?)?;
    bytes::add(ctx, &native)?;
    Ok(native)
}
