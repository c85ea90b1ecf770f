//! Listening, connections, and the stop (manual 12.2, 13.6).

use super::acceptor::{AcceptedConnection, Acceptor};
use super::in_flight::InFlight;
use super::socket::{ClientSocket, ConnectionState};
use super::thread_pool::ThreadPool;
use super::timeouts::Timeouts;
use crate::app::App;
use crate::http::request::body::BodyBudget;
use crate::http::request::dispatch::{HttpService, Peer, RequestHead, dispatch};
use crate::http::routing::host_names::HostNames;
use crate::http::routing::router::RouteTable;
use crate::http::routing::routes;
use crate::limits::HEAD_BYTES_MAX;
use crate::settings::Settings;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{
    HeaderName, HeaderValue, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Method, Response, Uri, Version};
use hyper_util::rt::TokioTimer;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tower_service::Service;
use warp::Filter as _;
use warp::reply::Response as WarpResponse;

/// Buffer hyper may grow to per connection: a whole head and a little (manual 14.1).
const CONNECTION_BUFFER_BYTES: usize = HEAD_BYTES_MAX + 8 * 1024;
/// All larger bodies held at the same time (manual 14.1).
const BODIES_BYTES_MAX: usize = 512 * 1024 * 1024;

/// A path that no route and no page can have.
const UNROUTABLE: &str = "//";

/// Serves the route table on `listener` until `stop` resolves, then stops (manual 13.6): new requests get 503,
/// answers and streams get a while to finish, then streams end with their 503 event. Returns once everything is answered or
/// given up; the runtime should be shut down with a timeout.
///
/// # Errors
/// When the listener has no local address any more.
pub async fn serve(app: App, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
    serve_table(app, routes::service_table(), Timeouts::default(), listener, stop).await
}

/// Serves the counts of the service, and nothing else, on `listener` (`SERVICE_METRICS`).
///
/// # Errors
/// As [`serve`].
pub async fn serve_metrics(
    app: App,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    serve_table(app, routes::metrics_table(), Timeouts::default(), listener, stop).await
}

/// As [`serve`], with another table and other times: for tests and for programs that embed the server.
///
/// # Errors
/// As [`serve`].
pub async fn serve_table(
    app: App,
    table: &'static RouteTable,
    timeouts: Timeouts,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let names = Arc::new(HostNames::new(&app.settings, listener.local_addr()?));
    let strict_transport = strict_transport(&app.settings);
    let in_flight = InFlight::new();
    let budget = BodyBudget::new(BODIES_BYTES_MAX);
    let is_service = std::ptr::eq(table, routes::service_table());
    if is_service {
        app.state.metrics.allocate_routes(table.routes().len());
    }
    let service = Arc::new(HttpService {
        app,
        table,
        timeouts: timeouts.clone(),
        in_flight: in_flight.clone(),
        budget,
        threads: ThreadPool::default(),
        host_names: names,
        is_service,
    });
    let filter = warp_filter(service);
    let (closing, closed) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut acceptor = Acceptor::new(listener, strict_transport.clone());
    let drained = async {
        stop.await;
        in_flight.drain();
        if tokio::time::timeout(timeouts.drain, in_flight.wait_until_idle()).await.is_err() {
            in_flight.abort();
            let _ = tokio::time::timeout(timeouts.drain_cancelled, in_flight.wait_until_idle()).await;
        }
    };
    let mut drained = pin!(drained);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            accepted = acceptor.accept() => accepted,
            () = &mut drained => break,
        };
        let Some(AcceptedConnection { socket, address, permit: place }) = accepted else { continue };
        let connection = serve_connection(
            socket,
            address,
            timeouts.clone(),
            strict_transport.clone(),
            filter.clone(),
            closed.clone(),
        );
        connections.spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop(acceptor);
    closing.send_replace(true);
    let all_closed = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(timeouts.close, all_closed).await;
    Ok(())
}

/// The one warp filter. Never a filter per route: that does not scale.
fn warp_filter(
    service: Arc<HttpService>,
) -> impl warp::Filter<Extract = (WarpResponse,), Error = warp::Rejection> + Clone + Send + Sync + 'static {
    warp::any()
        .and(warp::ext::get::<Peer>())
        .and(warp::method())
        .and(warp::path::full())
        .and(warp::query::raw().or(warp::any().map(String::new)).unify())
        .and(warp::header::headers_cloned())
        .and(warp::body::stream())
        .then(
            move |peer: Peer,
                  method: Method,
                  path: warp::path::FullPath,
                  query: String,
                  headers: HeaderMap,
                  body| {
                let head = RequestHead { peer, method, path: path.as_str().to_owned(), query, headers };
                // Boxed, so that a connection gives the memory back when the answer's head is out.
                Box::pin(dispatch(service.clone(), head, body))
            },
        )
}

/// Serves one connection to its end.
async fn serve_connection<F>(
    socket: TcpStream,
    address: SocketAddr,
    timeouts: Timeouts,
    strict_transport: Option<Arc<str>>,
    filter: F,
    mut closed: watch::Receiver<bool>,
) where
    F: warp::Filter<Extract = (WarpResponse,), Error = warp::Rejection> + Clone + Send + Sync + 'static,
    F::Future: Send,
{
    let _ = socket.set_nodelay(true);
    let link = Arc::new(ConnectionState::default());
    let backstop = timeouts.idle + timeouts.headers;
    let wire = ClientSocket::new(socket, link.clone(), timeouts, strict_transport.clone());
    let warped = warp::service(filter);
    let end = link.clone();
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        link.begin_request();
        let needs_host = request.version() == Version::HTTP_11;
        if !request.uri().path().starts_with('/') {
            // `*`, or a host and a port alone: warp takes paths, and we have nothing at any other target.
            *request.uri_mut() = Uri::from_static(UNROUTABLE);
        }
        request.extensions_mut().insert(Peer { address, needs_host, connection: link.clone() });
        let answer = warped.clone().call(request);
        let (link, strict_transport) = (link.clone(), strict_transport.clone());
        async move {
            let response = answer.await?;
            link.mark_answered();
            Ok::<_, Infallible>(finish_response(response, link, strict_transport.as_deref()))
        }
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // The [`ClientSocket`] keeps the exact times; this ends what it cannot see.
        .header_read_timeout(backstop)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(CONNECTION_BUFFER_BYTES)
        .keep_alive(true)
        .pipeline_flush(false);
    let mut connection = pin!(builder.serve_connection(wire, service));
    let mut closing = pin!(closed.wait_for(|closed| *closed));
    let mut is_closing = false;
    // An error here is a client that left or broke the rules; both are told on the wire, where they can be.
    poll_fn(|cx: &mut Context<'_>| {
        if !is_closing && closing.as_mut().poll(cx).is_ready() {
            is_closing = true;
            connection.as_mut().graceful_shutdown();
        }
        let served = connection.as_mut().poll(cx).map(|_| ());
        // The service does not wait for clients that are slow to close.
        if is_closing && end.is_shut() { Poll::Ready(()) } else { served }
    })
    .await;
}

fn strict_transport(settings: &Settings) -> Option<Arc<str>> {
    let subdomains = if settings.hsts_subdomains { "; includeSubDomains" } else { "" };
    settings.is_https().then(|| Arc::from(format!("max-age=31536000{subdomains}")))
}

/// Adds the headers every response has (manual 12.3) and watches for the end of its body.
fn finish_response(
    response: WarpResponse,
    link: Arc<ConnectionState>,
    strict_transport: Option<&str>,
) -> Response<BodyObserver<impl Body<Data = Bytes, Error = warp::Error> + use<>>> {
    let mut response = response.map(|body| BodyObserver { body, connection: link });
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(REFERRER_POLICY).or_insert(HeaderValue::from_static("same-origin"));
    if let Some(value) = strict_transport {
        let value = HeaderValue::from_str(value).expect("the value is made of visible characters");
        headers.insert::<HeaderName>(STRICT_TRANSPORT_SECURITY, value);
    }
    response
}

/// A body that tells the socket when it is over.
struct BodyObserver<B> {
    body: B,
    connection: Arc<ConnectionState>,
}

impl<B: Body + Unpin> Body for BodyObserver<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for BodyObserver<B> {
    fn drop(&mut self) {
        self.connection.end_response();
    }
}
