//! The program `git http-backend`, run for one request.

use super::http::{Body, ChunkedAnswer, RequestHead};
use std::io::{self, BufRead, BufReader, Read};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

/// What becomes of the body of git's answer on its way.
#[derive(Debug, Clone, Copy, Default)]
pub struct Damage {
    /// Nothing goes out behind so many bytes.
    pub cut: Option<usize>,
    /// This byte is another one.
    pub flip: Option<usize>,
}

/// Lets git answer a request.
pub fn run(root: &Path, head: &RequestHead, mut body: Body, stream: &TcpStream, damage: Damage) {
    let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
    let mut child = Command::new("git")
        .arg("http-backend")
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .envs([
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_HTTP_EXPORT_ALL", "1"),
        ])
        .env("GIT_PROJECT_ROOT", root)
        .env("REQUEST_METHOD", &head.method)
        .env("PATH_INFO", with_ending(path))
        .env("QUERY_STRING", query)
        .env("CONTENT_TYPE", head.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", head.header("content-length").unwrap_or_default())
        .env("HTTP_CONTENT_ENCODING", head.header("content-encoding").unwrap_or_default())
        .env("GIT_PROTOCOL", head.header("git-protocol").unwrap_or_default())
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("REMOTE_USER", "tester")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    std::thread::spawn(move || io::copy(&mut body, &mut input));
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let (mut status, mut headers) = (200, String::new());
    let mut line = String::new();
    while output.read_line(&mut line).is_ok_and(|length| length > 0) && !line.trim().is_empty() {
        match line.trim().split_once(": ") {
            Some(("Status", text)) => status = text[..3].parse().unwrap(),
            // It goes out in chunks.
            Some(("Content-Length", _)) => {}
            _ => headers.push_str(&format!("{}\r\n", line.trim())),
        }
        line.clear();
    }
    let mut answer = ChunkedAnswer::begin(stream, status, &headers, damage.cut);
    let (mut piece, mut sent) = ([0; 16 * 1024], 0);
    loop {
        let amount = output.read(&mut piece).unwrap_or(0);
        if amount == 0 {
            break answer.end();
        }
        if let Some(at) = damage.flip.filter(|at| (sent..sent + amount).contains(at)) {
            piece[at - sent] ^= 1 << (at % 8);
        }
        sent += amount;
        if !answer.send(&piece[..amount]) {
            let _ = child.kill();
            break;
        }
    }
    let _ = child.wait();
    let _ = stream.shutdown(Shutdown::Both);
}

/// The path with `.git` behind the name of the repository, as the folder is called.
fn with_ending(path: &str) -> String {
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(name) = parts.get_mut(2).filter(|name| !name.ends_with(".git")) {
        name.push_str(".git");
    }
    parts.join("/")
}
