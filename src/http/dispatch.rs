//! One request from head to answer: path, route, body, then one step onto a blocking thread and back.

use super::address;
use super::body::{self, BodyBudget};
use super::cors;
use super::error::{self, Refused};
use super::file_body;
use super::guard::{self, Who};
use super::names::{self, Names};
use super::pace::Pace;
use super::pages::{self, Page};
use super::prefix;
use super::reply::{Reply, ReplyBody};
use super::request::Request;
use super::router::{Cors, Found, Route, Table, segments};
use super::running::{Phase, Running, Ticket};
use super::sse;
use super::threads::Threads;
use super::wire::Link;
use crate::app::App;
use crate::domain::cancel::{Cancel, Reason};
use crate::domain::error::{Error, Unavailable};
use crate::limits::REQUEST_LINE_BYTES_MAX;
use crate::ops::metrics::OpenStream;
use bytes::Buf;
use futures_util::Stream;
use hyper::header::{ACCESS_CONTROL_REQUEST_METHOD, CONNECTION, HOST, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Method};
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::oneshot;
use tracing::Span;
use tracing::field::Empty;
use warp::reply::Response;

/// What all requests share.
pub(super) struct Door {
    pub(super) app: App,
    pub(super) table: &'static Table,
    pub(super) pace: Pace,
    pub(super) running: Arc<Running>,
    pub(super) budget: BodyBudget,
    pub(super) threads: Threads,
    pub(super) names: Arc<Names>,
    /// This is the service's own table: its answers are counted, and the web page stands beside it.
    pub(super) is_service: bool,
}

/// Who is at the other end, carried from the connection to the filter as a request extension.
#[derive(Clone)]
pub(super) struct Peer {
    pub(super) address: SocketAddr,
    /// HTTP/1.0 has no Host header.
    pub(super) needs_host: bool,
    pub(super) link: Arc<Link>,
}

/// The head of a request, as the filter hands it over.
pub(super) struct Head {
    pub(super) peer: Peer,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
}

/// Answers one request. Dropping the future, as hyper does when the client leaves, ends the run behind it.
pub(super) async fn dispatch<S, B>(door: Arc<Door>, head: Head, body: S) -> Response
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    let link = head.peer.link.clone();
    let unread = body::announces_body(&head.headers);
    // What follows a CONNECT is for whoever it asked for, and no request of ours.
    let tunnel = head.method == Method::CONNECT;
    let running = door.running.clone();
    let (began, mut was_read, mut route) = (Instant::now(), false, None);
    let judged = tokio::select! {
        judged = judge(&door, head, body, &mut was_read, &mut route) => judged,
        () = running.reached(Phase::Cut) => Err(Refused::Unavailable(Unavailable::Restarting)),
    };
    let mut response = judged.unwrap_or_else(|refused| whole_response(refused.reply()));
    if door.is_service {
        door.app.boards.metrics.answered(route, response.status().as_u16(), began.elapsed());
    }
    if unread && !was_read {
        link.left_unread();
    }
    if (unread && !was_read) || running.is_stopping() || tunnel {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn judge<S, B>(
    door: &Arc<Door>,
    head: Head,
    body: S,
    was_read: &mut bool,
    found: &mut Option<usize>,
) -> Result<Response, Refused>
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    check_framing(&head)?;
    check_host(&door.names, &head)?;
    if door.running.is_stopping() {
        return Err(Refused::Unavailable(Unavailable::Restarting));
    }
    let preflight = preflight_method(&head);
    let method = match (&preflight, &head.method) {
        (Some(asked), _) => asked.clone(),
        (None, &Method::HEAD) => Method::GET,
        (None, other) => other.clone(),
    };
    let (route, params) = match find(door, &head, &method)? {
        Leads::Route(route, params) => (route, params),
        Leads::Page(page) => return show(door.app.clone(), page, head.headers).await,
    };
    *found = preflight.is_none().then_some(route.index);
    if preflight.is_some() && route.cors == Cors::None {
        return Err(Refused::Method(route.method.to_string()));
    }
    // Without anything that could prove a caller the guard refuses: its body is not worth reading.
    let hopeless = !matches!(route.guard.who, Who::Public | Who::Ask) && !guard::carries_proof(&head.headers);
    let read = if preflight.is_some() || hopeless {
        Ok(body::Read::default())
    } else {
        let limit_bytes = route.limit_bytes;
        let read =
            body::read(&door.app, &head.headers, route.accepts, limit_bytes, &door.pace, &door.budget, body);
        let read = tokio::select! {
            read = read => read,
            () = door.running.reached(Phase::Draining) => Err(Refused::Unavailable(Unavailable::Restarting)),
        };
        *was_read = read.is_ok();
        read
    };
    let (read, fault) = match read {
        Ok(read) => (read, None),
        Err(fault) => (body::Read::default(), Some(fault)),
    };
    let cancel = Cancel::new(None);
    let ticket = door.running.enter(&cancel).map_err(Refused::Unavailable)?;
    let request = Request {
        route,
        method,
        params,
        query: form_urlencoded::parse(head.query.as_bytes()).into_owned().collect(),
        query_text: head.query,
        address: address::client(head.peer.address, &head.headers, &door.app.settings.trusted_proxies),
        headers: head.headers,
        body: read.bytes,
        form: Mutex::new(read.form),
        fault,
        cancel: cancel.clone(),
        names: door.names.clone(),
        streaming: AtomicBool::new(false),
        share: read.share,
    };
    let (answer, answered) = oneshot::channel();
    let work = Work { door: door.clone(), request, ticket: Arc::new(ticket), answer };
    let started = door.threads.run(move || if preflight.is_some() { work.preflight() } else { work.run() });
    if let Err(error) = started {
        tracing::error!(%error, "the system gives no thread for a request");
        return Err(Refused::Unavailable(Unavailable::Busy));
    }
    wait(door, route, cancel, answered).await
}

/// What a path leads to.
enum Leads {
    Route(&'static Route, Vec<(&'static str, String)>),
    Page(Page),
}

/// Finds what a request means: the first reading of its path that leads somewhere, or else what its path says as it came.
fn find(door: &Door, head: &Head, method: &Method) -> Result<Leads, Refused> {
    let mut otherwise = Err(Refused::Path);
    for path in prefix::readings(&head.path, door.app.settings.base_path()) {
        let leads = segments(path).map_or(Found::Nothing, |segments| door.table.find(method, &segments));
        match leads {
            Found::Route(route, params) => return Ok(Leads::Route(route, params)),
            Found::OtherMethod(allow) => return Err(Refused::Method(allow)),
            Found::Nothing if !door.is_service => {}
            Found::Nothing => match pages::find(&head.method, path) {
                Some(page) if page.exists() => return Ok(Leads::Page(page)),
                page => otherwise = page.map(Leads::Page).ok_or(Refused::Path),
            },
        }
    }
    otherwise
}

/// Answers with a file of the web page.
async fn show(app: App, page: Page, headers: HeaderMap) -> Result<Response, Refused> {
    let answered = tokio::task::spawn_blocking(move || {
        pages::answer(&app, &page, &headers).unwrap_or_else(|error| {
            let now = app.clock.now();
            error::reply(&error, &error::Manner { internal: false, streaming: false, ended: None, now })
        })
    });
    answered.await.map(whole_response).map_err(|_| Refused::Panicked)
}

/// Waits for the blocking thread's answer, within the run's time.
async fn wait(
    door: &Door,
    route: &Route,
    cancel: Cancel,
    mut answered: oneshot::Receiver<Response>,
) -> Result<Response, Refused> {
    let leaving = Leaving(Some(cancel));
    let limit = route.run_limit.unwrap_or(door.pace.run);
    let answer = match tokio::time::timeout(limit, &mut answered).await {
        Ok(answer) => answer.ok(),
        Err(_) => {
            leaving.end(Reason::OutOfTime);
            let late = tokio::time::timeout(door.pace.run_end, answered).await;
            let Ok(answer) = late else { return Ok(out_of_time(door)) };
            answer.ok()
        }
    };
    leaving.stayed();
    answer.ok_or(Refused::Panicked)
}

fn out_of_time(door: &Door) -> Response {
    let manner = error::Manner {
        internal: false,
        streaming: false,
        ended: Some(Reason::OutOfTime),
        now: door.app.clock.now(),
    };
    whole_response(error::reply(&Error::Cancelled, &manner))
}

/// Tells a run that its caller left, unless the caller got its answer.
struct Leaving(Option<Cancel>);

impl Leaving {
    fn end(&self, reason: Reason) {
        if let Some(cancel) = &self.0 {
            cancel.cancel(reason);
        }
    }

    fn stayed(mut self) {
        self.0 = None;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.end(Reason::CallerLeft);
    }
}

/// What a blocking thread does for one request.
struct Work {
    door: Arc<Door>,
    request: Request,
    ticket: Arc<Ticket>,
    answer: oneshot::Sender<Response>,
}

impl Work {
    fn run(self) {
        let (app, route, request) = (&self.door.app, self.request.route, &self.request);
        let span = tracing::info_span!(
            target: "flowkeep::span", "request",
            otel.name = %format_args!("{} {}", route.method, route.pattern), otel.kind = "server",
            traceparent = request.header("traceparent"), http.request.method = route.method.as_str(),
            http.route = route.pattern, http.response.status_code = Empty, error.type = Empty,
        );
        let entered = span.enter();
        let outcome = catch_unwind(AssertUnwindSafe(|| route.run(app, request)));
        let outcome = outcome.unwrap_or_else(|_| {
            log_panic(route);
            Ok(Refused::Panicked.reply())
        });
        drop(entered);
        match outcome {
            Ok(Reply { once: Some(condition), status, headers, body }) => {
                let reply = Reply { status, headers, body, once: None };
                // Its own answer may be out before this thread has done what others wait for, and a stop waits for that too.
                let _place = self.ticket.clone();
                condition(Box::new(move |met| self.answer(met.map(|()| reply), &span)));
            }
            outcome => self.answer(outcome, &span),
        }
    }

    /// Sends what came of it, and runs a stream to its end.
    fn answer(self, outcome: Result<Reply, Error>, span: &Span) {
        let Self { door, mut request, ticket, answer } = self;
        let (app, _entered) = (&door.app, span.enter());
        let mut reply = match outcome {
            // A file is read as slowly as a stream can be, and holds its place as long.
            Ok(reply) if matches!(reply.body, ReplyBody::Stream(_) | ReplyBody::File { .. }) => {
                let taken = ticket.take_stream(request.address, app.settings.streams_per_address);
                taken.map_or_else(
                    |full| full.reply(),
                    |()| {
                        ticket.counts_as(OpenStream::begin(app));
                        reply
                    },
                )
            }
            Ok(reply) => reply,
            Err(error) => error::reply(&error, &request.manner(app)),
        };
        span.record("http.response.status_code", reply.status.as_u16());
        if reply.status.is_server_error() {
            span.record("error.type", reply.status.as_str());
        }
        cors::mark_answer(app, &request, &mut reply.headers);
        let run = match reply.body {
            ReplyBody::Whole(bytes) => {
                let response = with_head(Response::new(bytes.into()), reply.status, reply.headers);
                // A caller that left has dropped the other end; there is nobody to tell.
                let _ = answer.send(response);
                return;
            }
            ReplyBody::File { file, length } => {
                let body = warp::reply::stream(file_body::pieces(file, length, ticket));
                let response = with_head(warp::Reply::into_response(body), reply.status, reply.headers);
                let _ = answer.send(response);
                return;
            }
            ReplyBody::Stream(run) => run,
        };
        let (sink, events, pipe) = sse::channel(request.cancel.clone(), door.pace.heartbeat, ticket.clone());
        ticket.streams(&pipe);
        let body = warp::Reply::into_response(warp::reply::stream(events));
        // Headers and body of the request are not needed while the stream runs, and streams can be many. What the run made of
        // a large body lives as long as the run, and so does its share of the room for bodies.
        let _share = request.share.take();
        let route = request.route;
        drop(request);
        if answer.send(with_head(body, reply.status, reply.headers)).is_err() {
            return;
        }
        if catch_unwind(AssertUnwindSafe(|| run(sink))).is_err() {
            log_panic(route);
        }
    }

    fn preflight(self) {
        let mut reply = Reply::empty(204);
        cors::mark_preflight(&self.door.app, &self.request, &mut reply.headers);
        let _ = self.answer.send(whole_response(reply));
    }
}

fn log_panic(route: &Route) {
    // What a panic says may hold a caller's text, so the log names the place only.
    tracing::error!(method = %route.method, route = %route.pattern, "a handler panicked");
}

fn whole_response(reply: Reply) -> Response {
    with_head(Response::new(reply.body.whole().into()), reply.status, reply.headers)
}

fn with_head(mut response: Response, status: hyper::StatusCode, headers: HeaderMap) -> Response {
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The method a preflight asks for.
fn preflight_method(head: &Head) -> Option<Method> {
    if head.method != Method::OPTIONS || !head.headers.contains_key(ORIGIN) {
        return None;
    }
    let asked = head.headers.get(ACCESS_CONTROL_REQUEST_METHOD)?;
    let asked = Method::from_bytes(asked.as_bytes()).ok()?;
    Some(if asked == Method::HEAD { Method::GET } else { asked })
}

/// A name that is not ours was led here by somebody else.
fn check_host(names: &Names, head: &Head) -> Result<(), Refused> {
    let Some(value) = head.headers.get(HOST) else { return Ok(()) };
    let host = String::from_utf8_lossy(value.as_bytes());
    if names.answer_to(Some(&host)) {
        return Ok(());
    }
    names.tell_host(&host);
    Err(Refused::Misdirected { host: names::shown(&host), expected: names.expected(None) })
}

/// What hyper lets through and HTTP does not.
fn check_framing(head: &Head) -> Result<(), Refused> {
    let line_bytes = head.method.as_str().len() + head.path.len() + head.query.len() + " ? HTTP/1.1".len();
    if line_bytes > REQUEST_LINE_BYTES_MAX {
        return Err(Refused::LineLong);
    }
    // Two of them never get here (`framing.rs`).
    if head.peer.needs_host && !head.headers.contains_key(HOST) {
        return Err(Refused::Framing("A request needs exactly one Host header."));
    }
    Ok(())
}
