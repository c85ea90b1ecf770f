//! `flowkeep serve`: runs the service until it is told to stop; `--demo` with something to ask, `--throwaway` without
//! leaving anything behind.

use super::ask::reachable;
use super::config::setting_warnings;
use super::data::folder::{Audience, folder_problem};
use super::{CliError, Context, logging, print};
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::key_permission_names;
use crate::domain::ids::FlowId;
use crate::http::connection::server;
use crate::limits;
use crate::ops::accounts::owner::{self, OwnerStatus};
use crate::ops::service::control::{self, CommandOutput, OperatorCommand, random_password};
use crate::ops::service::demo::{self, Demo};
use crate::settings::{Environment, FirstOwner, Flags, LogLevel, MetricsAccess, Settings};
use crate::tasks::Tasks;
use crate::traces::{Exporter, SpanLayer};
use serde_json::json;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::thread::available_parallelism;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Most threads that move bytes; the flows run on threads of their own (manual 14.2).
const WORKER_THREADS_MAX_COUNT: usize = 4;
/// Most blocking threads beside those of requests: files on their way, tasks, shutdown (manual 14.2).
const BLOCKING_THREADS_MAX_COUNT: usize = 256;
/// Open files asked for where the system names no limit of its own but has one (manual 14.2).
#[cfg(unix)]
const OPEN_FILES_COUNT: u64 = 10_240;
/// A service that may open fewer files says so at its start: every caller and every call of a provider holds one (manual 14.2).
#[cfg(unix)]
const OPEN_FILES_MIN_COUNT: u64 = 1_024;
/// Connections that may wait to be accepted (manual 14.2).
const LISTEN_BACKLOG_MAX_COUNT: u32 = 4_096;

/// How long the end waits for the last spans to be sent.
const SPAN_FLUSH_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs the service until SIGINT or SIGTERM; a second one ends it at once
#[derive(clap::Args)]
pub(super) struct ServeArgs {
    /// On an empty data folder make an owner, a key and flows to ask; print what to type [env: SERVICE_DEMO]
    #[arg(long)]
    demo: bool,
    /// Keep data in a temporary folder, removed at the end; print one line of JSON once ready [env: SERVICE_THROWAWAY]
    #[arg(long)]
    throwaway: bool,
    /// IP address to listen on [env: SERVICE_HOST] [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS", help_heading = "Where it listens")]
    host: Option<String>,
    /// Port to listen on; 0 takes any free one [env: SERVICE_PORT] [default: 3000]
    // A number below zero is reported as a wrong port, not as an unknown flag.
    #[arg(long, allow_hyphen_values = true, help_heading = "Where it listens")]
    port: Option<String>,
    /// Address people use: scheme and host, port and path if any [env: SERVICE_BASE_URL]
    #[arg(long, value_name = "URL", help_heading = "Where it listens")]
    base_url: Option<String>,
}

/// What the start of the service makes besides serving.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ServeMode {
    demo: bool,
    throwaway: bool,
}

pub(super) fn run(args: &ServeArgs, context: &Context<'_>) -> Result<(), CliError> {
    let mode = ServeMode {
        demo: context.is_switched_on(args.demo, "SERVICE_DEMO"),
        throwaway: context.is_switched_on(args.throwaway, "SERVICE_THROWAWAY"),
    };
    // Held to the very end: dropping it removes the folder.
    let folder = if mode.throwaway { Some(temporary_folder()?) } else { None };
    let flags = Flags::default()
        // First, so that it wins, and no home folder is asked for.
        .with(
            "SERVICE_DATA_DIR",
            "--data-dir",
            folder.as_ref().map(|folder| folder.path().to_string_lossy()).as_deref(),
        )
        .with("SERVICE_HOST", "--host", args.host.as_deref())
        .with("SERVICE_PORT", "--port", args.port.as_deref())
        .with("SERVICE_BASE_URL", "--base-url", args.base_url.as_deref());
    let mut settings = context.settings(flags)?;
    if let Some(folder) = &folder {
        use_temporary_folder(&mut settings, folder, mode)?;
    }
    let start_exporter = start_exporter(&settings)?;
    let (start_exporter, spans) = start_exporter.unzip();
    logging::start(&settings, LogLevel::Info, spans);
    for warning in setting_warnings(context) {
        tracing::warn!("{warning}");
    }
    log_panics();
    #[cfg(unix)]
    raise_open_file_limit();
    let runtime =
        build_runtime().map_err(|error| CliError::Failed(format!("no threads to work with: {error}")))?;
    let done = runtime.block_on(serve(settings, context.environment.clone(), mode));
    // Whatever still blocks a thread had its time to end.
    runtime.shutdown_background();
    if let Some(start_exporter) = start_exporter {
        start_exporter.flush(SPAN_FLUSH_TIMEOUT);
    }
    drop(folder);
    done
}

/// What sends spans, where somebody collects them.
fn start_exporter(settings: &Settings) -> Result<Option<(Exporter, SpanLayer)>, CliError> {
    let Some(traces) = settings.traces.clone() else { return Ok(None) };
    Exporter::start(traces, settings)
        .map(Some)
        .map_err(|error| CliError::Failed(format!("spans cannot be sent: {error}")))
}

fn temporary_folder() -> Result<TempDir, CliError> {
    let mut folder = tempfile::Builder::new();
    // Others on this machine share the folder it is made in.
    #[cfg(unix)]
    folder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    folder.prefix("flowkeep-").tempdir().map_err(|error| {
        CliError::Failed(format!("no temporary folder: {error}; set TMPDIR to one that can be written"))
    })
}

/// Keeps everything in the temporary folder, and makes an owner where nobody named one.
fn use_temporary_folder(settings: &mut Settings, folder: &TempDir, mode: ServeMode) -> Result<(), CliError> {
    settings.data_dir = folder.path().to_owned();
    settings.versions_dir = None;
    // The demo brings its own owner.
    settings.first_owner = match settings.first_owner.take() {
        Some(owner) => Some(owner),
        None if mode.demo => None,
        None => Some(FirstOwner { email: "owner@localhost".to_owned(), password: random_password()? }),
    };
    Ok(())
}

/// What a panic says may hold a caller's text, so the log gets its place only.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        let thread = std::thread::current();
        tracing::error!(
            place = place.as_deref().unwrap_or("unknown"),
            thread = thread.name().unwrap_or("unnamed"),
            "the program failed to keep one of its own promises"
        );
    }));
}

/// Every caller and every provider call holds a file: the usual soft limit of 1,024 is made for other programs.
#[cfg(unix)]
fn raise_open_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // A system whose hard limit is "none" may still refuse more than this.
    let known_good = Some(OPEN_FILES_COUNT);
    for wanted in [limit.maximum, known_good] {
        let enough = limit.current.is_none_or(|now| wanted.is_some_and(|wanted| now >= wanted));
        if enough || setrlimit(Resource::Nofile, Rlimit { current: wanted, ..limit }).is_ok() {
            break;
        }
    }
    let wish = limits::OPEN_FILES_WISH_COUNT;
    if let Some(limit) = getrlimit(Resource::Nofile).current.filter(|limit| *limit < OPEN_FILES_MIN_COUNT) {
        tracing::warn!(
            "only {limit} files may be open at once, and every caller needs one: many callers will be turned away; \
             start the service with more: LimitNOFILE={wish} in its unit, or ulimit -n {wish}"
        );
    }
}

fn build_runtime() -> io::Result<Runtime> {
    // Half of the cores: the work is done by blocking threads, and workers without any wake each other for nothing.
    let workers = available_parallelism().map_or(1, usize::from).div_ceil(2);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers.min(WORKER_THREADS_MAX_COUNT))
        .max_blocking_threads(BLOCKING_THREADS_MAX_COUNT)
        .thread_keep_alive(Duration::from_secs(limits::BLOCKING_THREAD_IDLE_SECONDS))
        .thread_name("flowkeep")
        .enable_all()
        .build()
}

async fn serve(mut settings: Settings, environment: Environment, mode: ServeMode) -> Result<(), CliError> {
    let mut signals =
        Signals::new().map_err(|error| CliError::Failed(format!("signals cannot be heard: {error}")))?;
    let wanted = SocketAddr::new(settings.host, settings.port);
    // First the port, then the data: callers that come early wait instead of being refused.
    let (listener, address) =
        listen(wanted).map_err(|error| CliError::Failed(listen_problem(wanted, &error)))?;
    // Who asks for a free port, or for any address, learns here which one it is.
    settings.host = address.ip();
    settings.port = address.port();
    let metrics = match settings.metrics {
        MetricsAccess::Off | MetricsAccess::Key => None,
        MetricsAccess::Address(wanted) => {
            let opened = listen(wanted).map_err(|error| {
                CliError::Failed(format!(
                    "SERVICE_METRICS: {wanted} cannot be listened on ({error}); choose another address"
                ))
            });
            let (listener, address) = opened?;
            tracing::info!(%address, "metrics can be read");
            Some(listener)
        }
    };
    if let Some(why) = folder_problem(&settings.data_dir, Audience::Service) {
        return Err(CliError::Failed(why));
    }
    let app = App::open(settings, environment).map_err(CliError::other)?;
    let standing = owner::ensure_owner(&app)?;
    let (stop, stopping) = watch::channel(false);
    // Before anything is printed: whoever waited for the first line may use the control socket from then on.
    let tasks = Tasks::start(&app, &stopping);
    let ready = ready_text(&app, mode, address, &standing)?;
    if let Some(metrics) = metrics {
        // It ends with the service; whoever looks on needs no answer then.
        tokio::spawn(server::serve_metrics(app.clone(), metrics, wait_for_stop(&stopping)));
    }
    let server = server::serve(app.clone(), listener, wait_for_stop(&stopping));
    tokio::pin!(server);
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "listening");
    // Last, so that no line of the log stands between it and whoever reads it. Callers that come now wait in the queue.
    print_ready_text(mode, &ready)?;
    let served = tokio::select! {
        served = &mut server => Some(served),
        () = signals.next() => None,
    };
    if served.is_none() {
        tracing::info!("stopping; a second signal stops at once");
    }
    stop.send_replace(true);
    let end = async {
        let served = match served {
            Some(served) => served,
            None => server.await,
        };
        tasks.join().await;
        served
    };
    let served = tokio::select! {
        served = end => served,
        () = signals.next() => return Err(CliError::other("stopped at once, without waiting for what was running")),
    };
    served.map_err(|error| CliError::Failed(format!("the service stopped: {error}")))?;
    tracing::info!("stopped");
    Ok(())
}

/// Resolves when the service is to stop.
fn wait_for_stop(stopping: &watch::Receiver<bool>) -> impl Future<Output = ()> + Send + use<> {
    let mut stopping = stopping.clone();
    // A sender that is gone means the same as a stop.
    async move { drop(stopping.wait_for(|stop| *stop).await) }
}

fn listen(wanted: SocketAddr) -> io::Result<(TcpListener, SocketAddr)> {
    let socket = if wanted.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // On Unix this only lets a restart take over a port whose last connections are still closing.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(wanted)?;
    let listener = socket.listen(LISTEN_BACKLOG_MAX_COUNT)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn listen_problem(wanted: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::AddrInUse => {
            format!("{wanted} is in use; stop what listens there, or choose another port with --port")
        }
        ErrorKind::AddrNotAvailable => {
            format!("{wanted} is not an address of this machine; choose one with --host")
        }
        ErrorKind::PermissionDenied => {
            format!("{wanted} needs more rights; choose a port from 1024 up with --port")
        }
        _ => format!("{wanted} cannot be listened on: {error}; choose another with --host and --port"),
    }
}

/// What whoever started the service needs to know.
fn ready_text(
    app: &App,
    mode: ServeMode,
    address: SocketAddr,
    standing: &OwnerStatus,
) -> Result<String, CliError> {
    let base = app
        .settings
        .base_url
        .as_ref()
        .map_or_else(|| format!("http://{}", outside_address(address)), ToString::to_string);
    let demo = if mode.demo { demo::install(app, standing)? } else { None };
    let text = match (demo, mode) {
        (demo, ServeMode { throwaway: true, .. }) => throwaway_text(app, &base, demo)?,
        (Some(demo), _) => demo_text(&base, &demo),
        (None, ServeMode { demo: true, .. }) => existing_demo_text(&base, demo::first_flow(app)?),
        (None, _) => plain_text(&base, address, standing, &app.settings.data_dir),
    };
    Ok(text)
}

fn print_ready_text(mode: ServeMode, text: &str) -> Result<(), CliError> {
    match print(text) {
        // A service without a terminal serves all the same; only CI needs its line.
        Err(_) if !mode.throwaway => Ok(()),
        other => other,
    }
}

fn plain_text(base: &str, address: SocketAddr, standing: &OwnerStatus, data: &Path) -> String {
    let mut text = match standing {
        OwnerStatus::Unclaimed { .. } => format!("Open {base} to make the owner.\n"),
        OwnerStatus::HasOwner | OwnerStatus::Created { .. } => format!("Flowkeep listens on {base}\n"),
    };
    if address.ip().is_unspecified() {
        text.push_str(&format!("It listens on every address of this machine, port {}.\n", address.port()));
    }
    if let OwnerStatus::Unclaimed { setup_token: Some(token) } = standing {
        text.push_str(&format!("Setup token, needed to register the first owner: {token}\n"));
    }
    text.push_str(&format!("Data is kept in {}\n", data.display()));
    text
}

/// The address others reach the service under: where it listens everywhere, the one this machine has towards them.
fn outside_address(address: SocketAddr) -> SocketAddr {
    if !address.ip().is_unspecified() {
        return address;
    }
    // Connecting a datagram socket sends nothing: the system only chooses the way, and with it the address. The target
    // is reserved for documentation.
    let (any, target) =
        if address.is_ipv4() { ("0.0.0.0:0", "192.0.2.1:9") } else { ("[::]:0", "[2001:db8::1]:9") };
    let way = UdpSocket::bind(any).and_then(|socket| {
        socket.connect(target)?;
        socket.local_addr()
    });
    way.map_or_else(|_| reachable(address), |own| SocketAddr::new(own.ip(), address.port()))
}

fn throwaway_text(app: &App, base: &str, demo: Option<Demo>) -> Result<String, CliError> {
    let (email, password, key) = match (demo, &app.settings.first_owner) {
        (Some(Demo { owner_email, owner_password: Some(password), api_key, .. }), _) => {
            (owner_email, password, api_key)
        }
        (Some(demo), Some(owner)) => (demo.owner_email, owner.password.clone(), demo.api_key),
        (None, Some(owner)) => (owner.email.clone(), owner.password.clone(), create_full_key(app)?),
        (_, None) => return Err(CliError::other("the temporary folder was not empty")),
    };
    let line = json!({
        "baseUrl": base, "apiKey": key, "ownerEmail": email, "ownerPassword": password,
        "dataDir": app.settings.data_dir.display().to_string(),
    });
    Ok(format!("{line}\n"))
}

fn create_full_key(app: &App) -> Result<String, CliError> {
    let permissions = key_permission_names().collect();
    let made = control::execute(
        app,
        OperatorCommand::KeyCreate { name: "throwaway".to_owned(), permissions, workspace: None },
        &CancelToken::new(None),
    )?;
    match made {
        CommandOutput::KeyCreated { value, .. } => Some(value),
        _ => None,
    }
    .ok_or_else(|| CliError::other("no key was made"))
}

fn demo_text(base: &str, demo: &Demo) -> String {
    let flows: Vec<String> = demo.flows.iter().map(|(name, id)| format!("  {id}  {name}\n")).collect();
    let ask = demo.flows.first().map_or_else(String::new, |(_, id)| curl_text(base, *id));
    let password = demo.owner_password.as_deref().unwrap_or("that of SERVICE_OWNER_PASSWORD");
    format!(
        "Flowkeep is ready at {base}\n\n  Sign in   {}  with password  {password}\n  API key   {}\n\nFlows:\n{}{ask}",
        demo.owner_email,
        demo.api_key,
        flows.concat()
    )
}

fn existing_demo_text(base: &str, flow: Option<FlowId>) -> String {
    let ask = flow.map_or_else(String::new, |flow| curl_text(base, flow));
    format!(
        "Flowkeep is ready at {base}\n\nThis data folder was in use before: sign-in and key stay as they were.\n{ask}"
    )
}

/// Two lines that work as pasted in any shell.
fn curl_text(base: &str, flow: FlowId) -> String {
    let curl = |flags: &str, body: &str| {
        format!(
            "  curl {flags} {base}/api/v1/prediction/{flow} -H 'Content-Type: application/json' -d '{body}'\n"
        )
    };
    let whole = curl("-s", r#"{"question":"What can you do?"}"#);
    let streamed = curl("-sN", r#"{"question":"What can you do?","streaming":true}"#);
    format!("\nAsk:\n{whole}\nAsk, and see the answer as it is written:\n{streamed}")
}

/// The two signals that stop the service, and three that mean something to other services and would end this one unheard.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    ignored: [IgnoredSignal; 3],
}

/// A signal that changes nothing.
#[cfg(unix)]
struct IgnoredSignal {
    name: &'static str,
    signal: tokio::signal::unix::Signal,
    is_logged: bool,
}

#[cfg(unix)]
impl IgnoredSignal {
    fn new(name: &'static str, kind: tokio::signal::unix::SignalKind) -> io::Result<Self> {
        Ok(Self { name, signal: tokio::signal::unix::signal(kind)?, is_logged: false })
    }

    /// Waits for the signal, and says once that it does nothing.
    async fn log_when_received(&mut self) {
        if self.signal.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
        if !std::mem::replace(&mut self.is_logged, true) {
            tracing::info!(
                "{} changes nothing: settings are read at the start, and the log is reopened by whoever writes it to a file",
                self.name
            );
        }
    }
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            ignored: [
                IgnoredSignal::new("SIGHUP", SignalKind::hangup())?,
                IgnoredSignal::new("SIGUSR1", SignalKind::user_defined1())?,
                IgnoredSignal::new("SIGUSR2", SignalKind::user_defined2())?,
            ],
        })
    }

    /// Waits for a signal that stops the service.
    async fn next(&mut self) {
        let [first, second, third] = &mut self.ignored;
        loop {
            tokio::select! {
                _ = self.interrupt.recv() => return,
                _ = self.terminate.recv() => return,
                () = first.log_when_received() => {}
                () = second.log_when_received() => {}
                () = third.log_when_received() => {}
            }
        }
    }
}

/// Elsewhere there is one.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    const fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
