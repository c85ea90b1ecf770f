//! A real service on a free port, its data in a folder of its own, with the owner registered over the API.

use super::client::{Answer, Call};
use super::folder_copy::FolderCopy;
use flowkeep::app::{App, AppOpenError};
use flowkeep::domain::ids::{ChatId, FlowId};
use flowkeep::http::connection::server::serve_table;
use flowkeep::http::connection::timeouts::Timeouts;
use flowkeep::http::routing::routes::service_table;
use flowkeep::ops::conversations::files::ChatFileName;
use flowkeep::ops::predictions;
use flowkeep::settings::{Environment, Flags, Settings};
use flowkeep::store;
use serde_json::{Value, json};
use std::cell::Cell;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The owner's sign-in.
pub const EMAIL: &str = "ada@example.org";
pub const PASSWORD: &str = "correct horse battery";

/// One runtime for all servers of this process: each request needs a blocking thread of its own.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread().worker_threads(2).max_blocking_threads(2_100).enable_all().build().unwrap()
});

/// What a service makes of its data folder and its cookies when it starts for the first time hangs on these settings.
const OF_A_FIRST_START: &[&str] = &["SERVICE_BASE_URL", "SERVICE_ENCRYPTION_KEY", "SERVICE_VERSIONS"];

/// Data of services at which the owner has registered and signed in, made once: a test begins with a copy, because the two
/// passwords to hash and the first start would take a third of the suite's processor time. One for each of the first
/// servers of a test, which so have ids and secrets of their own.
static REGISTERED: [LazyLock<Registered>; 3] = [const { LazyLock::new(Registered::make) }; 3];

thread_local! {
    /// How many servers this test has started with an owner.
    static STARTED: Cell<usize> = const { Cell::new(0) };
}

struct Registered {
    folder: FolderCopy,
    cookie: String,
}

impl Registered {
    fn make() -> Self {
        let (folder, cookie) = Server::empty(Options::default()).with_owner().into_data();
        Self { folder: FolderCopy::read(folder.path()), cookie }
    }
}

/// A running service; dropping it stops it and removes its data.
pub struct Server {
    pub address: SocketAddr,
    pub app: App,
    pub folder: TempDir,
    /// The owner's `Cookie` header; empty before anybody has registered.
    pub cookie: String,
    /// Dropped, it stops the service.
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// What a service is started with.
#[derive(Default)]
pub struct Options {
    pub settings: Vec<(&'static str, String)>,
    pub environment: Vec<(&'static str, &'static str)>,
    /// How long a stream is silent before it shows that it lives, where that is not as usual.
    pub heartbeat: Option<Duration>,
}

impl Server {
    /// A service with default settings and an owner.
    pub fn start() -> Self {
        Self::with(&[])
    }

    /// A service with these settings, by the names of their variables, and an owner.
    pub fn with(settings: &[(&'static str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self::with_options(Options { settings, ..Options::default() })
    }

    /// A service with these options, and an owner.
    pub fn with_options(options: Options) -> Self {
        let registered = REGISTERED.get(STARTED.replace(STARTED.get() + 1));
        let is_usual = options.settings.iter().all(|(name, _)| !OF_A_FIRST_START.contains(name));
        let Some(registered) = registered.filter(|_| is_usual) else {
            return Self::empty(options).with_owner();
        };
        let folder = tempfile::tempdir().unwrap();
        registered.folder.copy_to(folder.path());
        Self::open(folder, registered.cookie.clone(), options)
    }

    /// Registers the owner and signs them in.
    fn with_owner(mut self) -> Self {
        let user = json!({"name": "Ada", "email": EMAIL, "credential": PASSWORD});
        self.call("POST", "/account/register").json(&json!({ "user": user })).send().is(201);
        self.cookie = self.sign_in();
        self
    }

    /// A service that nobody has registered at.
    pub fn empty(options: Options) -> Self {
        Self::open(tempfile::tempdir().unwrap(), String::new(), options)
    }

    /// The same data after a stop and a new start with default settings.
    pub fn restart(self) -> Self {
        self.restart_with(&[])
    }

    /// The same data after a stop and a new start with these settings.
    pub fn restart_with(self, settings: &[(&'static str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let (folder, cookie) = self.into_data();
        Self::open(folder, cookie, Options { settings, ..Options::default() })
    }

    /// Waits until the service has stopped; its data and the owner's `Cookie` header.
    fn into_data(self) -> (TempDir, String) {
        let Self { app, folder, cookie, stop, serving, .. } = self;
        drop((app, stop));
        RUNTIME.block_on(serving).unwrap().unwrap();
        (folder, cookie)
    }

    fn open(folder: TempDir, cookie: String, options: Options) -> Self {
        let data = folder.path().join("data").to_str().unwrap().to_owned();
        let look_up = |name: &str| match name {
            "SERVICE_DATA_DIR" => Some(data.clone()),
            _ => {
                let set = options.settings.iter().find(|(known, _)| *known == name);
                // Every route is to be there, unless a test says otherwise.
                let usual = (name == "SERVICE_METRICS").then(|| "key".to_owned());
                set.map(|(_, value)| value.clone()).or(usual)
            }
        };
        let settings = Settings::from_vars(look_up, Flags::default()).unwrap();
        let variables = options.environment;
        let environment = Environment::new(move |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
        .with_program(env!("CARGO_BIN_EXE_flowkeep").into());
        let app = open_when_free(&settings, &environment);
        let (stop, stopped) = oneshot::channel::<()>();
        let listener =
            RUNTIME.block_on(tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
        let address = listener.local_addr().unwrap();
        let stopped = async {
            let _ = stopped.await;
        };
        let usual = Timeouts::default();
        let timeouts = Timeouts { heartbeat: options.heartbeat.unwrap_or(usual.heartbeat), ..usual };
        let serving = serve_table(app.clone(), service_table(), timeouts, listener, stopped);
        let serving = RUNTIME.spawn(serving);
        Self { address, app, folder, cookie, stop: Some(stop), serving }
    }

    /// Tells the service to stop and does not wait.
    pub fn stop(&mut self) {
        self.stop = None;
    }

    /// Signs the owner in: the `Cookie` header of a fresh session.
    pub fn sign_in(&self) -> String {
        let login = json!({"email": EMAIL, "password": PASSWORD});
        let answer = self.call("POST", "/auth/login").json(&login).send().is(200);
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    /// A call of a route under `/api/v1`, as nobody.
    pub fn call(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, &format!("/api/v1{path}"))
    }

    /// A call of any path, as nobody.
    pub fn call_root(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, path)
    }

    /// A call of the owner's page.
    pub fn owner(&self, method: &str, path: &str) -> Call {
        self.call(method, path).header("Cookie", &self.cookie)
    }

    /// The owner's GET: the body of its 200.
    #[track_caller]
    pub fn read(&self, path: &str) -> Value {
        self.owner("GET", path).send().is(200).json()
    }

    /// The owner's POST: the body of its answer, which must be good.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let answer = self.owner("POST", path).json(body).send();
        assert!(matches!(answer.status, 200 | 201), "{answer:?}");
        answer.json()
    }

    /// The owner's PUT: the body of its 200.
    #[track_caller]
    pub fn put(&self, path: &str, body: &Value) -> Value {
        self.owner("PUT", path).json(body).send().is(200).json()
    }

    /// Makes a flow whose Live is this canvas; its id.
    #[track_caller]
    pub fn flow(&self, canvas: &str) -> String {
        self.flow_with(canvas, &json!({}))
    }

    /// Makes a flow with this canvas and these further fields; its id.
    #[track_caller]
    pub fn flow_with(&self, canvas: &str, fields: &Value) -> String {
        let mut body =
            json!({"name": "Flow", "type": "CHATFLOW", "flowData": canvas, "publishInstantly": true});
        for (name, value) in fields.as_object().unwrap() {
            body[name] = value.clone();
        }
        if body["type"] != "ASSISTANT" {
            return id(&self.post("/chatflows", &body));
        }
        // No canvas makes an assistant but that of a file.
        body["id"] = flowkeep::domain::ids::FlowId::random().to_string().into();
        let told = self.post("/export-import/import", &body);
        told["items"][0]["newId"].as_str().map_or_else(|| id(&body), str::to_owned)
    }

    /// Makes a flow with this canvas whose chat asks visitors who they are; its id.
    #[track_caller]
    pub fn flow_asking_visitors(&self, canvas: &str, fields: &Value) -> String {
        let mut fields = fields.clone();
        fields["chatbotConfig"] = json!({"leads": {"status": true, "name": true}}).to_string().into();
        self.flow_with(canvas, &fields)
    }

    /// Makes an API key; the answer with its value.
    pub fn key(&self, permissions: &[&str]) -> Value {
        self.post("/apikey", &json!({"keyName": "test", "permissions": permissions}))
    }

    /// Asks a flow as nobody, whole.
    pub fn ask(&self, flow: &str, body: &Value) -> Answer {
        self.call("POST", &format!("/prediction/{flow}")).json(body).send()
    }

    /// Stores a file of a conversation, as an agent would; its name.
    pub fn store_file(&self, flow: &str, chat: &ChatId, extension: &str, bytes: &[u8]) -> ChatFileName {
        let flow = FlowId::parse(flow).unwrap();
        let home = predictions::flow(&self.app, &flow).unwrap().workspace;
        self.app.chat_files.store(&home, &flow, chat, extension, &bytes).unwrap()
    }

    /// The stored messages of a flow, oldest first.
    pub fn messages(&self, flow: &str) -> Vec<Value> {
        self.read(&format!("/chatmessage/{flow}")).as_array().unwrap().clone()
    }

    /// The bytes of every file the service keeps, by path.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
                }
            }
        }
        found
    }

    /// The names of files that hold `text`.
    pub fn files_with(&self, text: &str) -> Vec<String> {
        let needle = text.as_bytes();
        let holds = |bytes: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
        self.files().into_iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| path).collect()
    }
}

/// The `id` of a record.
#[track_caller]
pub fn id(record: &Value) -> String {
    record["id"].as_str().unwrap_or_else(|| panic!("no id in {record}")).to_owned()
}

/// Opens the service's data. A connection of the service before may hold the database for a moment after its server has
/// returned, which a process of its own would not outlive: only that is waited for.
fn open_when_free(settings: &Settings, environment: &Environment) -> App {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match App::open(settings.clone(), environment.clone()) {
            Err(AppOpenError::Store(store::OpenError::InUse)) if Instant::now() < end => {
                std::thread::sleep(Duration::from_millis(10));
            }
            opened => return opened.unwrap(),
        }
    }
}
