//! A git host for tests: the git program's own `http-backend` behind HTTP and a token, and every way in which a host refuses.
//!
//! `GitHost::start("token")` listens on a port of its own; `create("owner/name")` makes an empty bare repository there, whose
//! address is `repository_url("owner/name")`. What it does otherwise than git is said by `behave` for the requests that it is
//! to concern, until `behave_well`.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

mod cgi;
mod http;

use self::http::RequestHead;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

#[allow(unused_imports, reason = "each test binary uses its own part of this")]
pub use self::http::RequestHead as GitRequest;

/// Which requests something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requests {
    All,
    /// Those that ask what is there.
    Discovery,
    /// Those that carry or ask for objects, and `ls-refs`.
    Post,
    /// Both requests of a push.
    Push,
    /// The second request of a push, which carries the pack.
    PackUpload,
    /// All requests of a fetch.
    Fetch,
}

impl Requests {
    fn matches(self, request: &RequestHead) -> bool {
        let is_push = request.target.contains("git-receive-pack");
        match self {
            Self::All => true,
            Self::Discovery => request.method == "GET",
            Self::Post => request.method == "POST",
            Self::Push => is_push,
            Self::PackUpload => is_push && request.method == "POST",
            Self::Fetch => request.target.contains("git-upload-pack"),
        }
    }
}

/// What the host does instead of what git would.
#[derive(Debug, Clone)]
pub enum Behavior {
    /// Answers with this status, these headers and a line of text.
    Status(u16, Vec<(&'static str, String)>),
    /// Answers with this status and these words.
    Refusal(u16, Vec<u8>),
    /// Answers with status 200 and a page to sign in.
    SignInPage,
    /// Answers with this content type and body.
    Answer(&'static str, Vec<u8>),
    /// Reads so many bytes of the request's body, answers with this status, content type and body, and closes at once.
    EarlyAnswer(usize, u16, &'static str, Vec<u8>),
    /// Gives git's answer, and closes after so many bytes of its body.
    CutAnswer(usize),
    /// Gives git's answer with this byte of its body changed.
    FlipByte(usize),
    /// Closes after so many bytes of the request's body were read.
    CutRequest(usize),
    /// Waits before each answer.
    Slow(Duration),
}

type Hook = Box<dyn FnMut(&RequestHead) + Send>;
/// What answers requests for the host's API: status and JSON.
pub type Api = Box<dyn Fn(&RequestHead, &[u8]) -> (u16, Vec<(String, String)>, String) + Send + Sync>;

struct Shared {
    root: PathBuf,
    tokens: Mutex<Vec<String>>,
    behaviors: Mutex<Vec<(Requests, Behavior)>>,
    seen: Mutex<Vec<RequestHead>>,
    before: Mutex<Vec<(Requests, Hook)>>,
    api: Mutex<Option<Arc<Api>>>,
}

/// The host. It stops listening when it is dropped.
pub struct GitHost {
    port: u16,
    root: TempDir,
    shared: Arc<Shared>,
    is_over: Arc<AtomicBool>,
}

impl GitHost {
    /// Starts one that takes this token.
    pub fn start(token: &str) -> Self {
        let root = TempDir::new().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            root: root.path().to_owned(),
            tokens: Mutex::new(vec![token.to_owned()]),
            behaviors: Mutex::default(),
            seen: Mutex::default(),
            before: Mutex::default(),
            api: Mutex::default(),
        });
        let (serving, is_over) = (shared.clone(), Arc::<AtomicBool>::default());
        let is_done = is_over.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_done.load(Ordering::SeqCst) {
                    return;
                }
                let shared = serving.clone();
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { port, root, shared, is_over }
    }

    /// The address of the host.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address of a repository, without `.git`.
    pub fn repository_url(&self, name: &str) -> String {
        format!("{}/{name}", self.url())
    }

    /// The folder that holds the repositories, `owner/name` as `owner/name.git`.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The folder of a repository.
    pub fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(format!("{name}.git"))
    }

    /// Makes an empty bare repository.
    pub fn create(&self, name: &str) -> PathBuf {
        self.create_as(name, "sha1")
    }

    /// As [`Self::create`], with another object format.
    pub fn create_as(&self, name: &str, object_format: &str) -> PathBuf {
        let folder = self.folder(name);
        fs::create_dir_all(&folder).unwrap();
        let format = format!("--object-format={object_format}");
        git(&folder, &["init", "--quiet", "--bare", "--initial-branch=main", &format]);
        folder
    }

    /// Runs git in a repository; what it prints.
    pub fn git(&self, name: &str, arguments: &[&str]) -> String {
        git(&self.folder(name), arguments)
    }

    /// Where a branch of a repository is; `None` when it is not there.
    pub fn tip(&self, name: &str, branch: &str) -> Option<String> {
        let output = run_git(&self.folder(name), &["rev-parse", "--verify", "--quiet", branch]);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Gives a repository a hook: a script of the shell.
    pub fn hook(&self, name: &str, hook: &str, script: &str) {
        write_hook(&self.folder(name), hook, script);
    }

    /// Takes this token from now on, and no other.
    pub fn set_token(&self, token: &str) {
        *self.shared.tokens.lock().unwrap() = vec![token.to_owned()];
    }

    /// From now on, these requests meet this.
    pub fn behave(&self, requests: Requests, behavior: Behavior) {
        self.shared.behaviors.lock().unwrap().push((requests, behavior));
    }

    /// Serves as git does again.
    pub fn behave_well(&self) {
        self.shared.behaviors.lock().unwrap().clear();
        self.shared.before.lock().unwrap().clear();
    }

    /// Runs `hook` before each of these requests is answered.
    pub fn before(&self, requests: Requests, hook: impl FnMut(&RequestHead) + Send + 'static) {
        self.shared.before.lock().unwrap().push((requests, Box::new(hook)));
    }

    /// Answers requests below `/api/` with this.
    pub fn serve_api(&self, api: Api) {
        *self.shared.api.lock().unwrap() = Some(Arc::new(api));
    }

    /// The heads of all requests so far.
    pub fn requests(&self) -> Vec<RequestHead> {
        self.shared.seen.lock().unwrap().clone()
    }
}

impl Drop for GitHost {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener, which then sees that it is over.
        let _woken = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) {
        let Some((head, mut body)) = http::read_request(&stream) else { return };
        self.seen.lock().unwrap().push(head.clone());
        for (requests, hook) in self.before.lock().unwrap().iter_mut() {
            if requests.matches(&head) {
                hook(&head);
            }
        }
        let behaviors = self.behaviors.lock().unwrap().clone();
        let mut damage = cgi::Damage::default();
        for (_, behavior) in behaviors.into_iter().filter(|(requests, _)| requests.matches(&head)) {
            match behavior {
                Behavior::Status(status, headers) => {
                    let headers: Vec<(&str, &str)> =
                        headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                    return http::answer(&stream, status, "text/plain", &headers, b"The host says no.\n");
                }
                Behavior::Refusal(status, words) => {
                    return http::answer(&stream, status, "text/plain", &[], &words);
                }
                Behavior::SignInPage => {
                    let page = b"<!doctype html><title>Sign in</title>";
                    return http::answer(&stream, 200, "text/html; charset=utf-8", &[], page);
                }
                Behavior::Answer(content_type, bytes) => {
                    return http::answer(&stream, 200, content_type, &[], &bytes);
                }
                Behavior::EarlyAnswer(bytes, status, content_type, words) => {
                    http::skip(&mut body, bytes);
                    return http::send_answer(&stream, status, content_type, &[], &words);
                }
                Behavior::CutAnswer(bytes) => damage.cut = Some(bytes),
                Behavior::FlipByte(at) => damage.flip = Some(at),
                Behavior::CutRequest(bytes) => {
                    http::skip(&mut body, bytes);
                    let _ = stream.shutdown(Shutdown::Both);
                    return;
                }
                Behavior::Slow(time) => std::thread::sleep(time),
            }
        }
        let api = self.api.lock().unwrap().clone();
        if let Some(api) = api.filter(|_| head.target.starts_with("/api/")) {
            let (status, headers, text) = api(&head, &http::read_all(&mut body));
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            return http::answer(&stream, status, "application/json", &headers, text.as_bytes());
        }
        if !self.is_authorized(&head) {
            let wants = [("www-authenticate", "Basic realm=\"git\"")];
            return http::answer(&stream, 401, "text/plain", &wants, b"Who are you?\n");
        }
        cgi::run(&self.root, &head, body, &stream, damage);
    }

    fn is_authorized(&self, head: &RequestHead) -> bool {
        let sent = head.header("authorization").and_then(|value| value.strip_prefix("Basic "));
        let sent = sent.and_then(|value| STANDARD.decode(value).ok()).unwrap_or_default();
        let tokens = self.tokens.lock().unwrap();
        tokens.iter().any(|token| sent == format!("x-access-token:{token}").as_bytes())
    }
}

/// Gives the bare repository in `folder` a hook: a script of the shell.
pub fn write_hook(folder: &Path, hook: &str, script: &str) {
    let place = folder.join("hooks").join(hook);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, format!("#!/bin/sh\n{script}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Runs git in `folder`, which must succeed; what it prints.
#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = run_git(folder, arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn run_git(folder: &Path, arguments: &[&str]) -> Output {
    git_command(folder).args(arguments).output().unwrap()
}

/// Git in `folder`, which knows nothing of the user who runs the tests.
pub fn git_command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Someone Else")
            .env(format!("GIT_{who}_EMAIL"), "else@example.com");
    }
    command
}
