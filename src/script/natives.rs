//! The few functions of the worker that code can reach, through the prelude: saying a line, waiting, asking for a request,
//! taking an address apart.
//! Each is bounded, and none can do anything but write down what is wanted.

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

    /// Whether anything from outside can still move the code.
    pub(super) fn waits_for_something(&self) -> bool {
        self.on_the_way > 0 || !self.timers.is_empty()
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
}

/// An address taken apart, as JSON with the names that `URL` gives its pieces.
fn pieces(text: &str, base: &str) -> Option<String> {
    let base = if base.is_empty() { None } else { Some(Url::parse(base).ok()?) };
    let url = Url::options().base_url(base.as_ref()).parse(text).ok()?;
    let pieces = json!({
        "href": url.as_str(), "origin": quirks::origin(&url), "protocol": quirks::protocol(&url),
        "username": quirks::username(&url), "password": quirks::password(&url), "host": quirks::host(&url),
        "hostname": quirks::hostname(&url), "port": quirks::port(&url), "pathname": quirks::pathname(&url),
        "search": quirks::search(&url), "hash": quirks::hash(&url),
    });
    Some(pieces.to_string())
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
    let address = |ctx: Ctx<'js>, text: String, base: String| {
        pieces(&text, &base).ok_or_else(|| Exception::throw_type(&ctx, "Invalid URL"))
    };
    native.set("address", Function::new(ctx.clone(), address)?)?;
    Ok(native)
}
