//! One request from head to answer: path, route, body, then one step onto a blocking thread and back.

use super::Request;
use super::body::{self, BodyBudget};
use crate::app::App;
use crate::base::cancel::{CancelReason, CancelToken};
use crate::domain::error::{Error, UnavailableReason};
use crate::http::connection::address;
use crate::http::connection::in_flight::{DrainPhase, InFlight, RunPermit};
use crate::http::connection::socket::ConnectionState;
use crate::http::connection::thread_pool::ThreadPool;
use crate::http::connection::timeouts::Timeouts;
use crate::http::reply::error::{self, Rejection};
use crate::http::reply::error_shape::ErrorShape;
use crate::http::reply::file_body;
use crate::http::reply::pages::{self, SitePage};
use crate::http::reply::sse;
use crate::http::reply::{Reply, ReplyBody, StreamSource};
use crate::http::routing::cors;
use crate::http::routing::guard::{self, RequiredAccess};
use crate::http::routing::host_names::{self, HostNames};
use crate::http::routing::prefix;
use crate::http::routing::router::{Cors, Route, RouteMatch, RouteTable, parse_names};
use crate::limits::REQUEST_LINE_BYTES_MAX;
use crate::ops::service::metrics::OpenStream;
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
pub(in crate::http) struct HttpService {
    pub(in crate::http) app: App,
    pub(in crate::http) table: &'static RouteTable,
    pub(in crate::http) timeouts: Timeouts,
    pub(in crate::http) in_flight: Arc<InFlight>,
    pub(in crate::http) budget: BodyBudget,
    pub(in crate::http) threads: ThreadPool,
    pub(in crate::http) host_names: Arc<HostNames>,
    /// This is the service's own table: its answers are counted, and the web page stands beside it.
    pub(in crate::http) is_service: bool,
}

/// Who is at the other end, carried from the connection to the filter as a request extension.
#[derive(Clone)]
pub(in crate::http) struct Peer {
    pub(in crate::http) address: SocketAddr,
    /// HTTP/1.0 has no Host header.
    pub(in crate::http) needs_host: bool,
    pub(in crate::http) connection: Arc<ConnectionState>,
}

/// The head of a request, as the filter hands it over.
pub(in crate::http) struct RequestHead {
    pub(in crate::http) peer: Peer,
    pub(in crate::http) method: Method,
    pub(in crate::http) path: String,
    pub(in crate::http) query: String,
    pub(in crate::http) headers: HeaderMap,
}

/// Answers one request. Dropping the future, as hyper does when the client leaves, ends the run behind it.
pub(in crate::http) async fn dispatch<S, B>(service: Arc<HttpService>, head: RequestHead, body: S) -> Response
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    let link = head.peer.connection.clone();
    let unread = body::has_body(&head.headers);
    // What follows a CONNECT is for whoever it asked for, and no request of ours.
    let tunnel = head.method == Method::CONNECT;
    let running = service.in_flight.clone();
    let (began, mut was_read, mut route) = (Instant::now(), false, None);
    let shape = ErrorShape::of_request(&head.path, service.app.settings.base_path());
    let judged = tokio::select! {
        judged = handle(&service, head, body, &mut was_read, &mut route) => judged,
        () = running.wait_for_phase(DrainPhase::Aborting) => Err(Rejection::Unavailable(UnavailableReason::Restarting)),
    };
    let mut response = judged.unwrap_or_else(|refused| whole_response(refused.reply_as(shape)));
    if service.is_service {
        service.app.state.metrics.record_response(route, response.status().as_u16(), began.elapsed());
    }
    if unread && !was_read {
        link.mark_unread_body();
    }
    if (unread && !was_read) || running.is_stopping() || tunnel {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// True without anything that could prove a caller where the guard asks for it: the body is not worth reading.
fn cannot_authenticate(route: &Route, headers: &HeaderMap) -> bool {
    !matches!(route.guard.access, RequiredAccess::Public | RequiredAccess::Ask)
        && !guard::has_credentials(headers)
}

/// Reads the body, unless the service begins to stop meanwhile.
async fn read_body<S, B>(
    service: &HttpService,
    route: &Route,
    headers: &HeaderMap,
    body: S,
) -> Result<body::ReceivedBody, Rejection>
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    let (limit_bytes, app) = (route.limit_bytes, &service.app);
    let read = body::read(app, headers, route.accepts, limit_bytes, &service.timeouts, &service.budget, body);
    tokio::select! {
        read = read => read,
        () = service.in_flight.wait_for_phase(DrainPhase::Draining) => {
            Err(Rejection::Unavailable(UnavailableReason::Restarting))
        }
    }
}

async fn handle<S, B>(
    service: &Arc<HttpService>,
    head: RequestHead,
    body: S,
    was_read: &mut bool,
    found: &mut Option<usize>,
) -> Result<Response, Rejection>
where
    S: Stream<Item = Result<B, warp::Error>> + Send,
    B: Buf + Send,
{
    check_framing(&head)?;
    check_host(&service.host_names, &head)?;
    if service.in_flight.is_stopping() {
        return Err(Rejection::Unavailable(UnavailableReason::Restarting));
    }
    let preflight = preflight_method(&head);
    let method = match (&preflight, &head.method) {
        (Some(asked), _) => asked.clone(),
        (None, &Method::HEAD) => Method::GET,
        (None, other) => other.clone(),
    };
    let (route, params) = match find(service, &head, &method)? {
        DispatchTarget::Route(route, params) => (route, params),
        DispatchTarget::Page(page) => return serve_page(service.app.clone(), page, head.headers).await,
    };
    *found = preflight.is_none().then_some(route.index);
    if preflight.is_some() && route.cors == Cors::None {
        return Err(Rejection::Method(route.method.to_string()));
    }
    let read = if preflight.is_some() || cannot_authenticate(route, &head.headers) {
        Ok(body::ReceivedBody::default())
    } else {
        let read = read_body(service, route, &head.headers, body).await;
        *was_read = read.is_ok();
        read
    };
    let (read, fault) = match read {
        Ok(read) => (read, None),
        Err(fault) => (body::ReceivedBody::default(), Some(fault)),
    };
    let cancel = CancelToken::new(None);
    let permit = service.in_flight.enter(&cancel).map_err(Rejection::Unavailable)?;
    let request = Request {
        route,
        method,
        params,
        query: form_urlencoded::parse(head.query.as_bytes()).into_owned().collect(),
        query_text: head.query,
        address: address::client_address(
            head.peer.address,
            &head.headers,
            &service.app.settings.trusted_proxies,
        ),
        headers: head.headers,
        body: read.bytes,
        form: Mutex::new(read.form),
        body_rejection: fault,
        cancel: cancel.clone(),
        host_names: service.host_names.clone(),
        streaming: AtomicBool::new(false),
        run_began: AtomicBool::new(false),
        body_permit: read.budget_permit,
    };
    let (response_sender, answered) = oneshot::channel();
    let work = BlockingCall { service: service.clone(), request, permit: Arc::new(permit), response_sender };
    let started =
        service.threads.spawn(move || if preflight.is_some() { work.preflight() } else { work.run() });
    if let Err(error) = started {
        tracing::error!(%error, "the system gives no thread for a request");
        return Err(Rejection::Unavailable(UnavailableReason::Busy));
    }
    await_response(service, route, cancel, answered).await
}

/// What a path leads to.
enum DispatchTarget {
    Route(&'static Route, Vec<(&'static str, String)>),
    Page(SitePage),
}

/// Finds what a request means: the first reading of its path that leads somewhere, or else what its path says as it came.
fn find(service: &HttpService, head: &RequestHead, method: &Method) -> Result<DispatchTarget, Rejection> {
    let mut otherwise = Err(Rejection::Path);
    for path in prefix::candidate_paths(&head.path, service.app.settings.base_path()) {
        let leads =
            parse_names(path).map_or(RouteMatch::Nothing, |segments| service.table.find(method, &segments));
        match leads {
            RouteMatch::Route(route, params) => return Ok(DispatchTarget::Route(route, params)),
            RouteMatch::OtherMethod(allow) => return Err(Rejection::Method(allow)),
            RouteMatch::Nothing if !service.is_service => {}
            RouteMatch::Nothing => match pages::find(&head.method, path, &head.query) {
                Some(page) if page.exists() => return Ok(DispatchTarget::Page(page)),
                page => otherwise = page.map(DispatchTarget::Page).ok_or(Rejection::Path),
            },
        }
    }
    otherwise
}

/// Answers with a file of the web page.
async fn serve_page(app: App, page: SitePage, headers: HeaderMap) -> Result<Response, Rejection> {
    let answered = tokio::task::spawn_blocking(move || {
        pages::render(&app, &page, &headers).unwrap_or_else(|error| {
            let now = app.clock.now();
            error::reply(&error, &error::ErrorContext::at(now))
        })
    });
    answered.await.map(whole_response).map_err(|_| Rejection::Panicked)
}

/// Waits for the blocking thread's answer, within the run's time.
async fn await_response(
    service: &HttpService,
    route: &Route,
    cancel: CancelToken,
    mut answered: oneshot::Receiver<Response>,
) -> Result<Response, Rejection> {
    let cancel_on_drop = CancelOnDrop(Some(cancel));
    let limit = route.run_limit.unwrap_or(service.timeouts.run);
    let answer = match tokio::time::timeout(limit, &mut answered).await {
        Ok(answer) => answer.ok(),
        Err(_) => {
            cancel_on_drop.cancel(CancelReason::TimedOut);
            let late = tokio::time::timeout(service.timeouts.run_end, answered).await;
            let Ok(answer) = late else { return Ok(time_limit_response(service, route)) };
            answer.ok()
        }
    };
    cancel_on_drop.disarm();
    answer.ok_or(Rejection::Panicked)
}

fn time_limit_response(service: &HttpService, route: &Route) -> Response {
    let context = error::ErrorContext {
        shape: ErrorShape::of_pattern(&route.pattern),
        run_began: true,
        cancel_reason: Some(CancelReason::TimedOut),
        ..error::ErrorContext::at(service.app.clock.now())
    };
    whole_response(error::reply(&Error::Cancelled, &context))
}

/// Tells a run that its caller left, unless the caller got its answer.
struct CancelOnDrop(Option<CancelToken>);

impl CancelOnDrop {
    fn cancel(&self, reason: CancelReason) {
        if let Some(cancel) = &self.0 {
            cancel.cancel(reason);
        }
    }

    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.cancel(CancelReason::CallerLeft);
    }
}

/// What a blocking thread does for one request.
struct BlockingCall {
    service: Arc<HttpService>,
    request: Request,
    permit: Arc<RunPermit>,
    response_sender: oneshot::Sender<Response>,
}

impl BlockingCall {
    fn run(self) {
        let (app, route, request) = (&self.service.app, self.request.route, &self.request);
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
            Ok(request.error_context(app).dress(Rejection::Panicked.reply(), None))
        });
        drop(entered);
        match outcome {
            Ok(Reply { after_commit: Some(condition), status, headers, body }) => {
                let reply = Reply { status, headers, body, after_commit: None };
                // Its own answer may be out before this thread has done what others wait for, and a stop waits for that too.
                let _place = self.permit.clone();
                condition(Box::new(move |met| self.respond(met.map(|()| reply), &span)));
            }
            outcome => self.respond(outcome, &span),
        }
    }

    /// Sends what came of it, and runs a stream to its end.
    fn respond(self, outcome: Result<Reply, Error>, span: &Span) {
        let Self { service, mut request, permit, response_sender } = self;
        let (app, _entered) = (&service.app, span.enter());
        let mut reply = match outcome {
            // A file is read as slowly as a stream can be, and holds its place as long.
            Ok(reply)
                if matches!(
                    reply.body,
                    ReplyBody::Stream(_) | ReplyBody::HeldStream(_) | ReplyBody::File { .. }
                ) =>
            {
                let taken = permit.reserve_stream(request.address, app.settings.streams_per_address);
                taken.map_or_else(
                    |full| full.reply_as(ErrorShape::of_pattern(&request.route.pattern)),
                    |()| {
                        permit.count_stream(OpenStream::new(app));
                        reply
                    },
                )
            }
            Ok(reply) => reply,
            Err(error) => error::reply(&error, &request.error_context(app)),
        };
        span.record("http.response.status_code", reply.status.as_u16());
        if reply.status.is_server_error() {
            span.record("error.type", reply.status.as_str());
        }
        cors::add_response_headers(app, &request, &mut reply.headers);
        let is_held = matches!(reply.body, ReplyBody::HeldStream(_));
        let source = match reply.body {
            ReplyBody::Full(bytes) => {
                let response = with_head(Response::new(bytes.into()), reply.status, reply.headers);
                // A caller that left has dropped the other end; there is nobody to tell.
                let _ = response_sender.send(response);
                return;
            }
            ReplyBody::File { file, length } => {
                permit.leave_thread();
                let body = warp::reply::stream(file_body::stream_file(file, length, permit));
                let response = with_head(warp::Reply::into_response(body), reply.status, reply.headers);
                let _ = response_sender.send(response);
                return;
            }
            ReplyBody::Stream(source) | ReplyBody::HeldStream(source) => source,
        };
        // Headers and body of the request are not needed while the stream runs, and streams can be many. What the run made
        // of a large body lives as long as the run, and so does its share of the room for bodies.
        let held = Arc::new((permit.clone(), request.body_permit.take()));
        let StreamSource { format, run } = source;
        let (cancel, threads) = (request.cancel.clone(), service.threads.clone());
        let (sink, events, pipe) = sse::channel(format, cancel, service.timeouts.heartbeat, threads, held);
        permit.attach_stream(&pipe);
        let body = warp::Reply::into_response(warp::reply::stream(events));
        let route = request.route;
        let refusal = is_held.then(|| HeldRefusal::new(app, &request));
        drop(request);
        let response = with_head(body, reply.status, reply.headers);
        let sink = if let Some(refusal) = refusal {
            sink.holding(refusal.or(response, response_sender))
        } else if response_sender.send(response).is_err() {
            return;
        } else {
            sink
        };
        if catch_unwind(AssertUnwindSafe(|| run(sink))).is_err() {
            log_panic(route);
        }
        // The run is over, or its answer is left to the connection.
        permit.leave_thread();
    }

    fn preflight(self) {
        let mut reply = Reply::empty(204);
        cors::add_preflight_headers(&self.service.app, &self.request, &mut reply.headers);
        let _ = self.response_sender.send(whole_response(reply));
    }
}

/// What answers a request whose stream failed before its first event.
struct HeldRefusal {
    context: error::ErrorContext,
    headers: HeaderMap,
}

impl HeldRefusal {
    fn new(app: &App, request: &Request) -> Self {
        let mut headers = HeaderMap::new();
        cors::add_response_headers(app, request, &mut headers);
        Self { context: request.error_context(app), headers }
    }

    /// Sends the stream, or what failed instead of it.
    fn or(self, stream: Response, sender: oneshot::Sender<Response>) -> sse::HeldHead {
        Box::new(move |fault| {
            let response = fault.map_or(stream, |fault| {
                let mut reply = error::reply(fault, &self.context);
                reply.headers.extend(self.headers);
                whole_response(reply)
            });
            // A caller that left has dropped the other end; there is nobody to tell.
            let _ = sender.send(response);
        })
    }
}

fn log_panic(route: &Route) {
    // What a panic says may hold a caller's text, so the log names the place only.
    tracing::error!(method = %route.method, route = %route.pattern, "a handler panicked");
}

fn whole_response(reply: Reply) -> Response {
    with_head(Response::new(reply.body.into_bytes().into()), reply.status, reply.headers)
}

fn with_head(mut response: Response, status: hyper::StatusCode, headers: HeaderMap) -> Response {
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

/// The method a preflight asks for.
fn preflight_method(head: &RequestHead) -> Option<Method> {
    if head.method != Method::OPTIONS || !head.headers.contains_key(ORIGIN) {
        return None;
    }
    let asked = head.headers.get(ACCESS_CONTROL_REQUEST_METHOD)?;
    let asked = Method::from_bytes(asked.as_bytes()).ok()?;
    Some(if asked == Method::HEAD { Method::GET } else { asked })
}

/// A name that is not ours was led here by somebody else.
fn check_host(host_names: &HostNames, head: &RequestHead) -> Result<(), Rejection> {
    let Some(value) = head.headers.get(HOST) else { return Ok(()) };
    let host = String::from_utf8_lossy(value.as_bytes());
    if host_names.is_known_host(Some(&host)) {
        return Ok(());
    }
    host_names.log_refused_host(&host);
    Err(Rejection::Misdirected {
        host: host_names::sanitize(&host),
        expected: host_names.expected_address(None),
    })
}

/// What hyper lets through and HTTP does not.
fn check_framing(head: &RequestHead) -> Result<(), Rejection> {
    let line_bytes = head.method.as_str().len() + head.path.len() + head.query.len() + " ? HTTP/1.1".len();
    if line_bytes > REQUEST_LINE_BYTES_MAX {
        return Err(Rejection::LineLong);
    }
    // Two of them never get here (`framing.rs`).
    if head.peer.needs_host && !head.headers.contains_key(HOST) {
        return Err(Rejection::Framing("A request needs exactly one Host header."));
    }
    Ok(())
}
