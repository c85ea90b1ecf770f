//! Routes as data: what a route says about itself, and finding the one a request means.

use super::guard::{Guard, RequiredAccess};
use super::handler::Handler;
use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::http::openapi::body_type::BodyType;
use crate::http::openapi::spec::{BodyFormat, BodySpec, ContentSpec, ParamSpec, ResponseSpec};
use crate::http::reply::Reply;
use crate::http::reply::error_shape::ErrorShape;
use crate::http::request::Request;
use hyper::Method;
use std::borrow::Cow;
use std::time::Duration;

/// Largest JSON body of an ordinary route (manual 14.1).
const BODY_BYTES: usize = 10 * 1024 * 1024;

/// What a route takes as a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    None,
    Json,
    /// JSON or `multipart/form-data`.
    JsonOrMultipart,
    /// `multipart/form-data`.
    Multipart,
    /// Bytes of any type, which the handler reads itself.
    Bytes,
}

/// Which pages of other sites may call a route (manual 12.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cors {
    None,
    /// Those the flow admits: its id is the path parameter `flow` or `id`, or `chatflowid` in the body or query.
    Flow,
    /// Those admitted by the flow whose id is `chatflowId` in the query.
    FlowInQuery,
    /// Those admitted by the flow of the rating that the path parameter `feedback` names.
    FlowOfFeedback,
    /// As [`Self::Flow`], but where a flow lists nobody it admits nobody. Preflights are no method of such a route.
    FlowListed,
    /// Those admitted by the flow that `model` in the body names.
    FlowOfModel,
    /// Those in `CORS_ORIGINS`.
    Listed,
}

/// A guard as the tables and the API description see it.
#[derive(Debug, Clone, Copy)]
pub struct GuardInfo {
    pub name: &'static str,
    pub access: RequiredAccess,
}

type BoxedHandler = Box<dyn Fn(&App, &Request) -> Result<Reply> + Send + Sync>;

/// One line of the route table.
pub struct Route {
    /// Method; GET also answers HEAD.
    pub method: Method,
    /// Whole pattern: literal segments, and `:name` for one segment of any text.
    pub pattern: String,
    pub guard: GuardInfo,
    /// One of these permissions is needed besides, because the answer shows what they let people see; empty for none.
    pub shows: &'static [&'static str],
    pub accepts: Accepts,
    /// Largest JSON body in bytes.
    pub limit_bytes: usize,
    pub cors: Cors,
    /// One sentence for the API description.
    pub summary: &'static str,
    /// Its name in generated clients.
    pub id: &'static str,
    /// Query values and headers that mean something to it.
    pub query: &'static [ParamSpec],
    /// Its bodies, one for each content type.
    pub takes: Vec<BodySpec>,
    /// Its answers when all is well.
    pub gives: Vec<ResponseSpec>,
    /// Statuses it refuses with, beside those that its guard and its body make possible.
    pub refuses: &'static [u16],
    /// Longest whole answer, when it is not the usual one.
    pub run_limit: Option<Duration>,
    /// Its place in the table.
    pub(in crate::http) index: usize,
    segments: Vec<PathSegment>,
    handle: BoxedHandler,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PathSegment {
    Literal(&'static str),
    Name(&'static str),
    /// A name that people give, which may hold a slash.
    FreeName(&'static str),
}

/// The prefix of every route that does not say otherwise.
const API_PREFIX: &str = "/api/v1";

/// A GET route under `/api/v1`.
pub fn get<A: 'static, M>(pattern: &'static str, guard: Guard<A>, handler: impl Handler<A, M>) -> Route {
    Route { accepts: Accepts::None, ..route(Method::GET, pattern, guard, handler) }
}

/// A POST route under `/api/v1`.
pub fn post<A: 'static, M>(pattern: &'static str, guard: Guard<A>, handler: impl Handler<A, M>) -> Route {
    route(Method::POST, pattern, guard, handler)
}

/// A PUT route under `/api/v1`.
pub fn put<A: 'static, M>(pattern: &'static str, guard: Guard<A>, handler: impl Handler<A, M>) -> Route {
    route(Method::PUT, pattern, guard, handler)
}

/// A PATCH route under `/api/v1`.
pub fn patch<A: 'static, M>(pattern: &'static str, guard: Guard<A>, handler: impl Handler<A, M>) -> Route {
    route(Method::PATCH, pattern, guard, handler)
}

/// A DELETE route under `/api/v1`.
pub fn delete<A: 'static, M>(pattern: &'static str, guard: Guard<A>, handler: impl Handler<A, M>) -> Route {
    route(Method::DELETE, pattern, guard, handler)
}

fn route<A: 'static, M, H: Handler<A, M>>(
    method: Method,
    pattern: &'static str,
    guard: Guard<A>,
    handler: H,
) -> Route {
    let handle = move |app: &App, request: &Request| {
        // Asking judges the body first (manual 2.2); everywhere else the caller comes first (manual 1.3).
        if let (RequiredAccess::Ask, Some(fault)) = (guard.access, request.body_rejection()) {
            return Ok(fault.reply_as(ErrorShape::of_pattern(&request.route().pattern)));
        }
        let access = (guard.authorize)(app, request)?;
        if let Some(check_object) = guard.object {
            check_object(app, &access, request)?;
        }
        if let Some(name) = request.repeated_param() {
            return Err(Error::Invalid(format!("'{name}' stands in the address twice; give it once.")));
        }
        match request.body_rejection() {
            Some(fault) => Ok(fault.reply_as(ErrorShape::of_pattern(&request.route().pattern))),
            None => handler.call(app, access, request),
        }
    };
    let parts = pattern
        .split('/')
        .skip(1)
        .map(|part| part.strip_prefix(':').map_or(PathSegment::Literal(part), PathSegment::Name));
    let prefix = API_PREFIX.split('/').skip(1).map(PathSegment::Literal);
    Route {
        method,
        pattern: format!("{API_PREFIX}{pattern}"),
        guard: GuardInfo { name: guard.name, access: guard.access },
        shows: &[],
        accepts: Accepts::Json,
        limit_bytes: BODY_BYTES,
        cors: Cors::None,
        summary: "",
        id: "",
        query: &[],
        takes: H::body().into_iter().collect(),
        gives: H::response().into_iter().collect(),
        refuses: &[],
        run_limit: None,
        index: 0,
        segments: prefix.chain(parts).collect(),
        handle: Box::new(handle),
    }
}

impl Route {
    /// Takes the pattern as the whole path, outside `/api/v1`.
    #[must_use]
    pub fn at_root(mut self) -> Self {
        self.segments.drain(..API_PREFIX.split('/').count() - 1);
        self.pattern = self.pattern.split_off(API_PREFIX.len());
        self
    }

    /// Takes names with slashes in the place of its parameter, where they are encoded.
    #[must_use]
    pub fn takes_free_name(mut self) -> Self {
        for segment in &mut self.segments {
            if let PathSegment::Name(name) = *segment {
                *segment = PathSegment::FreeName(name);
            }
        }
        self
    }

    /// Sets what bodies it takes.
    #[must_use]
    pub fn accepts(mut self, accepts: Accepts) -> Self {
        self.accepts = accepts;
        self
    }

    /// Sets the largest JSON body.
    #[must_use]
    pub fn limit(mut self, limit_bytes: usize) -> Self {
        self.limit_bytes = limit_bytes;
        self
    }

    /// Sets which pages of other sites may call it.
    #[must_use]
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = cors;
        self
    }

    /// Says that the answer shows a thing: whoever calls must hold one of the permissions that let people see it.
    #[must_use]
    pub fn shows(mut self, seen_with: &'static [&'static str]) -> Self {
        self.shows = seen_with;
        self
    }

    #[must_use]
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    /// Names it in generated clients, in camelCase.
    #[must_use]
    pub fn id(mut self, id: &'static str) -> Self {
        self.id = id;
        self
    }

    /// Says which query values and headers mean something to it.
    #[must_use]
    pub fn query(mut self, query: &'static [ParamSpec]) -> Self {
        self.query = query;
        self
    }

    /// Takes the fields of a `T` as a form.
    #[must_use]
    pub fn takes_form<T: BodyType>(mut self) -> Self {
        self.takes.push(BodySpec::of::<T>(BodyFormat::Form, true));
        self
    }

    /// Takes a `T` as JSON, which the handler reads itself.
    #[must_use]
    pub fn takes_json<T: BodyType>(mut self) -> Self {
        self.takes.push(BodySpec::of::<T>(BodyFormat::Json, true));
        self
    }

    /// Takes a `T` as JSON, or no body; the handler reads it itself.
    #[must_use]
    pub fn may_take_json<T: BodyType>(mut self) -> Self {
        self.takes.push(BodySpec::of::<T>(BodyFormat::Json, false));
        self
    }

    /// Answers with this status and a `T` as JSON, which the handler writes itself.
    #[must_use]
    pub fn answers_json<T: BodyType>(mut self, status: u16) -> Self {
        self.gives.push(ResponseSpec::json::<T>(status));
        self
    }

    /// Answers with a stream of events when the body asks for one, or `Accept` does.
    #[must_use]
    pub fn may_stream(self) -> Self {
        self.answers(200, ContentSpec::Events)
    }

    /// Answers in another way.
    #[must_use]
    pub fn answers(mut self, status: u16, content: ContentSpec) -> Self {
        self.gives.push(ResponseSpec { status, content });
        self
    }

    /// Adds statuses that it alone refuses with.
    #[must_use]
    pub fn refuses(mut self, statuses: &'static [u16]) -> Self {
        self.refuses = statuses;
        self
    }

    /// Sets how long a whole answer may take.
    #[must_use]
    pub fn run_limit(mut self, limit: Duration) -> Self {
        self.run_limit = Some(limit);
        self
    }

    /// The names of its path parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = &'static str> {
        self.segments.iter().filter_map(|part| match part {
            PathSegment::Name(name) | PathSegment::FreeName(name) => Some(*name),
            PathSegment::Literal(_) => None,
        })
    }

    /// Guard, body check, handler: blocking.
    pub(in crate::http) fn run(&self, app: &App, request: &Request) -> Result<Reply> {
        (self.handle)(app, request)
    }

    fn matches(&self, segments: &[Cow<'_, str>]) -> bool {
        let fits = |(part, segment): (&PathSegment, &Cow<'_, str>)| match part {
            PathSegment::Literal(text) => text == segment,
            PathSegment::Name(_) => is_plain(segment),
            PathSegment::FreeName(_) => true,
        };
        self.segments.len() == segments.len() && self.segments.iter().zip(segments).all(fits)
    }

    fn param_values(&self, segments: &[Cow<'_, str>]) -> Vec<(&'static str, String)> {
        let named = self.segments.iter().zip(segments).filter_map(|(part, segment)| match part {
            PathSegment::Name(name) | PathSegment::FreeName(name) => {
                Some((*name, segment.clone().into_owned()))
            }
            PathSegment::Literal(_) => None,
        });
        named.collect()
    }

    /// Orders literal segments before parameters, from the left.
    fn rank(&self) -> Vec<bool> {
        self.segments.iter().map(|part| !matches!(part, PathSegment::Literal(_))).collect()
    }
}

/// All routes, in the order in which they are tried.
pub struct RouteTable {
    routes: Vec<Route>,
}

/// Where a path and a method lead.
pub(in crate::http) enum RouteMatch {
    /// To this route, with these path parameters.
    Route(&'static Route, Vec<(&'static str, String)>),
    /// The path is known with other methods: the value of `Allow`.
    OtherMethod(String),
    Nothing,
}

impl RouteTable {
    /// A table of these routes. The first match wins; a literal segment is tried before a parameter.
    #[must_use]
    pub fn new(mut routes: Vec<Route>) -> Self {
        routes.sort_by_cached_key(Route::rank);
        routes.iter_mut().enumerate().for_each(|(index, route)| route.index = index);
        Self { routes }
    }

    #[must_use]
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    pub(in crate::http) fn find(&'static self, method: &Method, segments: &[Cow<'_, str>]) -> RouteMatch {
        let mut methods: Vec<&str> = Vec::new();
        for route in self.routes.iter().filter(|route| route.matches(segments)) {
            if route.method == *method {
                return RouteMatch::Route(route, route.param_values(segments));
            }
            methods.push(route.method.as_str());
            if route.method == Method::GET {
                methods.push("HEAD");
            }
            if !matches!(route.cors, Cors::None | Cors::FlowListed) {
                methods.push("OPTIONS");
            }
        }
        if methods.is_empty() {
            return RouteMatch::Nothing;
        }
        methods.sort_unstable();
        methods.dedup();
        RouteMatch::OtherMethod(methods.join(", "))
    }
}

/// Splits a path into segments, each percent-decoded once. `None` for every path that leads nowhere (manual 1.1 r2):
/// an empty, `.` or `..` segment, an encoded slash or backslash, NUL and control characters, text that is not
/// UTF-8. One slash at the end is tolerated, because clients of Flowise send it.
pub(in crate::http) fn parse_path(path: &str) -> Option<Vec<Cow<'_, str>>> {
    parse_names(path).filter(|segments| segments.iter().all(|segment| is_plain(segment)))
}

/// As [`parse_path`], with the slashes that are encoded. They lead only to routes that take such names.
pub(in crate::http) fn parse_names(path: &str) -> Option<Vec<Cow<'_, str>>> {
    let path = path.strip_prefix('/')?;
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').map(parse_segment).collect()
}

fn parse_segment(text: &str) -> Option<Cow<'_, str>> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8().ok()?;
    let refused = decoded.is_empty()
        || decoded == "."
        || decoded == ".."
        || text.contains('\\')
        || decoded.contains(char::is_control);
    (!refused).then_some(decoded)
}

fn is_plain(segment: &str) -> bool {
    !segment.contains(['/', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::routing::guard::PUBLIC;

    fn nothing(_: &App, (): (), _: &Request) -> Result<Reply> {
        Ok(Reply::empty(204))
    }

    fn table() -> &'static RouteTable {
        Box::leak(Box::new(RouteTable::new(vec![
            get("/chatflows/:id", PUBLIC, nothing),
            get("/chatflows/domains", PUBLIC, nothing),
            put("/chatflows/:id", PUBLIC, nothing).cors(Cors::Flow),
            get("/chatflows/apikey/:key", PUBLIC, nothing),
            get("/health", PUBLIC, nothing).at_root(),
            get("/models/:model", PUBLIC, nothing).takes_free_name(),
        ])))
    }

    fn find(method: Method, path: &str) -> String {
        let Some(segments) = parse_names(path) else { return "refused".to_owned() };
        match table().find(&method, &segments) {
            RouteMatch::Route(route, values) => {
                let values: Vec<String> =
                    values.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!("{} {}", route.pattern, values.join(" ")).trim().to_owned()
            }
            RouteMatch::OtherMethod(allow) => format!("allow {allow}"),
            RouteMatch::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn paths_lead_where_the_table_says() {
        for (path, expected) in [
            ("/api/v1/chatflows/x", "/api/v1/chatflows/:id id=x"),
            ("/api/v1/chatflows/x/", "/api/v1/chatflows/:id id=x"),
            ("/api/v1/chatflows/domains", "/api/v1/chatflows/domains"),
            ("/api/v1/chatflows/apikey/k", "/api/v1/chatflows/apikey/:key key=k"),
            ("/api/v1/chatflows/a%20b%25", "/api/v1/chatflows/:id id=a b%"),
            ("/api/v1/%63hatflows/x", "/api/v1/chatflows/:id id=x"),
            ("/health", "/health"),
            ("/health/", "/health"),
            ("/api/v1/health", "nothing"),
            ("/chatflows/x", "nothing"),
            ("/API/v1/chatflows/x", "nothing"),
            ("/api/v1/Chatflows/x", "nothing"),
            ("/api/v1/chatflows/x//", "refused"),
            ("/api/v1//chatflows/x", "refused"),
            ("//api/v1/chatflows/x", "refused"),
            ("/api/v1/chatflows/..", "refused"),
            ("/api/v1/chatflows/%2e%2e", "refused"),
            ("/api/v1/./chatflows/x", "refused"),
            ("/api/v1/chatflows/a%2fb", "nothing"),
            ("/api/v1/chatflows/a%5Cb", "nothing"),
            ("/api/v1/chatflows%2fx", "nothing"),
            ("/api/v1/models/a%2fb%5C", "/api/v1/models/:model model=a/b\\"),
            ("/api/v1/models/a/b", "nothing"),
            ("/api/v1/models/..%2fb", "/api/v1/models/:model model=../b"),
            ("/api/v1/models/%2e%2e", "refused"),
            ("/api/v1/chatflows/a\\b", "refused"),
            ("/api/v1/chatflows/a%00", "refused"),
            ("/api/v1/chatflows/a%0a", "refused"),
            ("/api/v1/chatflows/%ff", "refused"),
            ("*", "refused"),
            ("", "refused"),
            ("/", "refused"),
        ] {
            assert_eq!(find(Method::GET, path), expected, "{path}");
        }
    }

    #[test]
    fn a_wrong_method_is_told_the_right_ones() {
        assert_eq!(find(Method::DELETE, "/api/v1/chatflows/x"), "allow GET, HEAD, OPTIONS, PUT");
        assert_eq!(find(Method::POST, "/health"), "allow GET, HEAD");
    }
}
