//! `flowkeep serve`: runs the service until it is told to stop; `--demo` with something to ask, `--throwaway` without
//! leaving anything behind.

use super::ask::reachable;
use super::{Context, Failure, logging, say};
use crate::app::App;
use crate::domain::caller::for_keys;
use crate::domain::cancel::Cancel;
use crate::domain::ids::FlowId;
use crate::http::server;
use crate::limits;
use crate::ops::control::{self, Command, Outcome, random_password};
use crate::ops::demo::{self, Demo};
use crate::ops::owner::{self, Standing};
use crate::settings::{Environment, FirstOwner, Flags, LogLevel, MetricsDoor, Settings};
use crate::tasks::Tasks;
use crate::traces::Exporter;
use serde_json::json;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::thread::available_parallelism;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// How long the end waits for the last spans to be sent.
const SPANS_WAIT: Duration = Duration::from_secs(5);

/// Runs the service until SIGINT or SIGTERM; a second one ends it at once
#[derive(clap::Args)]
pub(super) struct Args {
    /// On an empty data folder make an owner, a key and flows to ask; print what to type [env: SERVICE_DEMO]
    #[arg(long)]
    demo: bool,
    /// Keep data in a temporary folder, removed at the end; print one line of JSON once ready [env: SERVICE_THROWAWAY]
    #[arg(long)]
    throwaway: bool,
    /// IP address to listen on [env: SERVICE_HOST] [default: 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    host: Option<String>,
    /// Port to listen on; 0 takes any free one [env: SERVICE_PORT] [default: 3000]
    #[arg(long)]
    port: Option<String>,
    /// Address people use: scheme and host, port if any [env: SERVICE_BASE_URL]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
}

/// What the start of the service makes besides serving.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Mode {
    demo: bool,
    throwaway: bool,
}

pub(super) fn run(args: &Args, context: &Context<'_>) -> Result<(), Failure> {
    let mode = Mode {
        demo: context.switch(args.demo, "SERVICE_DEMO"),
        throwaway: context.switch(args.throwaway, "SERVICE_THROWAWAY"),
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
        throw_away(&mut settings, folder, mode)?;
    }
    let exporter = settings.traces.clone().map(Exporter::start).transpose();
    let exporter =
        exporter.map_err(|error| Failure::Failed(format!("no thread to send spans with: {error}")))?;
    let (exporter, spans) = exporter.unzip();
    logging::start(&settings, LogLevel::Info, spans);
    quiet_panics();
    #[cfg(unix)]
    raise_open_files();
    let runtime = runtime().map_err(|error| Failure::Failed(format!("no threads to work with: {error}")))?;
    let done = runtime.block_on(serve(settings, context.environment.clone(), mode));
    // Whatever still blocks a thread had its time to end.
    runtime.shutdown_background();
    if let Some(exporter) = exporter {
        exporter.flush(SPANS_WAIT);
    }
    drop(folder);
    done
}

fn temporary_folder() -> Result<TempDir, Failure> {
    tempfile::Builder::new().prefix("flowkeep-").tempdir().map_err(|error| {
        Failure::Failed(format!("no temporary folder: {error}; set TMPDIR to one that can be written"))
    })
}

/// Keeps everything in the temporary folder, and makes an owner where nobody named one.
fn throw_away(settings: &mut Settings, folder: &TempDir, mode: Mode) -> Result<(), Failure> {
    settings.data_dir = folder.path().to_owned();
    settings.versions_dir = None;
    // The demo brings its own owner.
    settings.first_owner = match settings.first_owner.take() {
        _ if mode.demo => None,
        Some(owner) => Some(owner),
        None => Some(FirstOwner { email: "owner@localhost".to_owned(), password: random_password()? }),
    };
    Ok(())
}

/// What a panic says may hold a caller's text, so the log gets its place only.
fn quiet_panics() {
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
fn raise_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // A system whose hard limit is "none" may still refuse more than this.
    let known_good = Some(limits::OPEN_FILES_COUNT);
    for wanted in [limit.maximum, known_good] {
        let enough = limit.current.is_none_or(|now| wanted.is_some_and(|wanted| now >= wanted));
        if enough || setrlimit(Resource::Nofile, Rlimit { current: wanted, ..limit }).is_ok() {
            return;
        }
    }
    tracing::warn!(
        limit = limit.current,
        "the limit of open files could not be raised; many callers at once may be turned away"
    );
}

fn runtime() -> io::Result<Runtime> {
    // Half of the cores: the work is done by blocking threads, and workers without any wake each other for nothing.
    let workers = available_parallelism().map_or(1, usize::from).div_ceil(2);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers.min(limits::WORKER_THREADS_MAX_COUNT))
        .max_blocking_threads(limits::BLOCKING_THREADS_MAX_COUNT)
        .thread_keep_alive(Duration::from_secs(limits::BLOCKING_THREAD_IDLE_SECONDS))
        .thread_name("flowkeep")
        .enable_all()
        .build()
}

async fn serve(settings: Settings, environment: Environment, mode: Mode) -> Result<(), Failure> {
    let mut signals =
        Signals::new().map_err(|error| Failure::Failed(format!("signals cannot be heard: {error}")))?;
    let wanted = SocketAddr::new(settings.host, settings.port);
    // First the port, then the data: callers that come early wait instead of being refused.
    let (listener, address) =
        listen(wanted).map_err(|error| Failure::Failed(cannot_listen(wanted, &error)))?;
    // Who asks for a free port, or for any address, learns here which one it is.
    let settings = Settings { host: address.ip(), port: address.port(), ..settings };
    let metrics = match settings.metrics {
        MetricsDoor::Off | MetricsDoor::Key => None,
        MetricsDoor::Address(wanted) => {
            let opened = listen(wanted).map_err(|error| {
                Failure::Failed(format!(
                    "SERVICE_METRICS: {wanted} cannot be listened on ({error}); choose another address"
                ))
            });
            let (listener, address) = opened?;
            tracing::info!(%address, "metrics can be read");
            Some(listener)
        }
    };
    let app = App::open(settings, environment).map_err(Failure::failed)?;
    let standing = owner::start(&app)?;
    let (stop, stopping) = watch::channel(false);
    // Before anything is printed: whoever waited for the first line may use the control socket from then on.
    let tasks = Tasks::start(&app, &stopping);
    announce(&app, mode, address, &standing)?;
    if let Some(metrics) = metrics {
        // It ends with the service; whoever looks on needs no answer then.
        tokio::spawn(server::serve_metrics(app.clone(), metrics, stopped(&stopping)));
    }
    let server = server::serve(app.clone(), listener, stopped(&stopping));
    tokio::pin!(server);
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "listening");
    let served = tokio::select! {
        served = &mut server => served,
        () = signals.next() => {
            tracing::info!("stopping; a second signal stops at once");
            stop.send_replace(true);
            tokio::select! {
                served = &mut server => served,
                () = signals.next() => return Err(Failure::failed("stopped at once, without waiting for what was running")),
            }
        }
    };
    stop.send_replace(true);
    tasks.ended().await;
    served.map_err(|error| Failure::Failed(format!("the service stopped: {error}")))?;
    tracing::info!("stopped");
    Ok(())
}

/// Resolves when the service is to stop.
fn stopped(stopping: &watch::Receiver<bool>) -> impl Future<Output = ()> + Send + use<> {
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
    let listener = socket.listen(limits::LISTEN_BACKLOG_MAX_COUNT)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

fn cannot_listen(wanted: SocketAddr, error: &io::Error) -> String {
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

/// Prints what whoever started the service needs to know.
fn announce(app: &App, mode: Mode, address: SocketAddr, standing: &Standing) -> Result<(), Failure> {
    let base = app.settings.base_url.clone().unwrap_or_else(|| format!("http://{}", reachable(address)));
    let demo = if mode.demo { demo::install(app)? } else { None };
    let text = match (demo, mode) {
        (demo, Mode { throwaway: true, .. }) => throwaway_line(app, &base, demo)?,
        (Some(demo), _) => demo_text(&base, &demo),
        (None, Mode { demo: true, .. }) => known_demo_text(&base, demo::first_flow(app)?),
        (None, _) => {
            format!("Flowkeep listens on {base}\nData is kept in {}\n", app.settings.data_dir.display())
        }
    };
    let setup = match standing {
        Standing::Waits { setup_token: Some(token) } if !mode.demo && !mode.throwaway => {
            format!("Setup token, needed to register the first owner: {token}\n")
        }
        _ => String::new(),
    };
    match say(&format!("{text}{setup}")) {
        // A service without a terminal serves all the same; only CI needs its line.
        Err(_) if !mode.throwaway => Ok(()),
        other => other,
    }
}

fn throwaway_line(app: &App, base: &str, demo: Option<Demo>) -> Result<String, Failure> {
    let (email, password, key) = match (demo, &app.settings.first_owner) {
        (Some(demo), _) => (demo.owner_email, demo.owner_password, demo.api_key),
        (None, Some(owner)) => (owner.email.clone(), owner.password.clone(), key_for_everything(app)?),
        (None, None) => return Err(Failure::failed("the temporary folder was not empty")),
    };
    let line = json!({
        "baseUrl": base, "apiKey": key, "ownerEmail": email, "ownerPassword": password,
        "dataDir": app.settings.data_dir.display().to_string(),
    });
    Ok(format!("{line}\n"))
}

fn key_for_everything(app: &App) -> Result<String, Failure> {
    let permissions = for_keys().collect();
    let made = control::execute(
        app,
        Command::KeyCreate { name: "throwaway".to_owned(), permissions, workspace: None },
        &Cancel::new(None),
    )?;
    match made {
        Outcome::KeyCreated { key } => key["apiKey"].as_str().map(ToOwned::to_owned),
        _ => None,
    }
    .ok_or_else(|| Failure::failed("no key was made"))
}

fn demo_text(base: &str, demo: &Demo) -> String {
    let flows: Vec<String> = demo.flows.iter().map(|(name, id)| format!("  {id}  {name}\n")).collect();
    let ask = demo.flows.first().map_or_else(String::new, |(_, id)| curl_text(base, *id));
    format!(
        "Flowkeep is ready at {base}\n\n  Sign in   {}  with password  {}\n  API key   {}\n\nFlows:\n{}{ask}",
        demo.owner_email,
        demo.owner_password,
        demo.api_key,
        flows.concat()
    )
}

fn known_demo_text(base: &str, flow: Option<FlowId>) -> String {
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

/// The two signals that stop the service.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
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
