//! The service behind a real nginx and a real Caddy, which run the settings that the manual shows: signing in over https,
//! streams that arrive as they are written, and the address of the client. Each test passes where a program it needs is not
//! installed, unless `FLOWKEEP_PROXIES` is set (`.ci/proxies`).

use crate::program::{Program, command, free_port};
use crate::{Home, slow_canvas};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const NAME: &str = "flows.example.com";
/// Callers come from here, so that they are not taken for the proxy.
const CLIENT: &str = "127.0.0.2";
/// The longest a proxy may take to start.
const START_MAX: Duration = Duration::from_secs(20);

/// A program in front of the service. Dropped, it is killed.
struct Proxy {
    process: Child,
    port: u16,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// True when each program can be started; a run that needs them all fails instead.
fn are_installed(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let shown = Command::new(program).arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        shown.is_err()
    });
    if let Some(missing) = missing {
        assert!(std::env::var_os("FLOWKEEP_PROXIES").is_none(), "{missing} is not installed");
        eprintln!("skipped: {missing} is not installed");
    }
    missing.is_none()
}

fn read_packaged(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/proxies").join(name)).unwrap()
}

/// `text` with each of these replaced, which must be there.
fn with(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in {text}");
        text.replace(from, to)
    })
}

fn started(mut command: Command, port: u16) -> Proxy {
    let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut proxy = Proxy { process, port };
    let end = Instant::now() + START_MAX;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(proxy.process.try_wait().unwrap().is_none(), "{command:?} ended");
        assert!(Instant::now() < end, "{command:?} does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    proxy
}

/// Starts nginx with this server section.
fn nginx(folder: &Path, server: &str, port: u16) -> Proxy {
    let (key, certificate) = (folder.join("key.pem"), folder.join("certificate.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-days", "2", "-subj", &format!("/CN={NAME}"), "-keyout"])
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .stderr(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    let server = with(
        server,
        &[
            ("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl")),
            ("/etc/letsencrypt/live/flows.example.com/fullchain.pem", certificate.to_str().unwrap()),
            ("/etc/letsencrypt/live/flows.example.com/privkey.pem", key.to_str().unwrap()),
        ],
    );
    let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .iter()
        .map(|kind| format!("{kind}_temp_path {};\n", folder.join(kind).display()))
        .collect();
    let whole = format!("events {{}}\nhttp {{\naccess_log off;\n{folders}{server}\n}}\n");
    fs::write(folder.join("nginx.conf"), whole).unwrap();
    let globals = "daemon off; master_process off; pid nginx.pid; error_log error.log;";
    let mut command = Command::new("nginx");
    command.arg("-p").arg(folder).arg("-c").arg(folder.join("nginx.conf")).args([
        "-e",
        "error.log",
        "-g",
        globals,
    ]);
    started(command, port)
}

/// Starts Caddy with this site, whose certificate it makes itself.
fn caddy(folder: &Path, site: &str, port: u16) -> Proxy {
    let own = format!("https://{NAME}:{port} {{\n\ttls internal\n");
    let site = with(site, &[("flows.example.com {\n", &own)]);
    let globals = format!(
        "{{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system {}\n}}\n",
        folder.join("caddy").display()
    );
    fs::write(folder.join("Caddyfile"), globals + &site).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
    command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
    started(command, port)
}

/// Starts the service with these variables.
fn service(home: &Home, port: u16, variables: &[(&str, &str)]) -> Program {
    let port_text = port.to_string();
    let mut command = command(&["serve", "--data-dir", home.data(), "--port", &port_text]);
    command.env("SERVICE_OWNER_EMAIL", crate::program::OWNER.0);
    command.env("SERVICE_OWNER_PASSWORD", crate::program::OWNER.1).envs(variables.iter().copied());
    let mut program = Program::start(command, &home.data.with_extension("log"));
    program.address.set_port(port);
    program.first_line();
    program
}

/// A call through the proxy, as a browser on another machine makes it.
fn curl(proxy: &Proxy, folder: &Path, path: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("curl");
    command.args(["-sk", "--noproxy", "*", "--interface", CLIENT, "--max-time", "60", "-i", "--resolve"]);
    command.arg(format!("{NAME}:{}:127.0.0.1", proxy.port)).arg("-b").arg(folder.join("jar"));
    command.arg("-c").arg(folder.join("jar")).args(arguments);
    command.arg(format!("https://{NAME}:{}{path}", proxy.port));
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}

/// What such a call is answered with, head and body.
fn fetch(proxy: &Proxy, folder: &Path, path: &str, arguments: &[&str]) -> String {
    String::from_utf8_lossy(&curl(proxy, folder, path, arguments).output().unwrap().stdout).into_owned()
}

/// As [`fetch`], of a proxy that listens and may still be making its certificate.
fn first(proxy: &Proxy, folder: &Path, path: &str) -> String {
    let end = Instant::now() + START_MAX;
    loop {
        let answer = fetch(proxy, folder, path, &[]);
        if !answer.is_empty() || Instant::now() > end {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

const JSON: [&str; 2] = ["-H", "Content-Type: application/json"];

/// Signs the owner in from the page at `origin`.
fn sign_in(proxy: &Proxy, folder: &Path, under: &str, origin: &str) -> String {
    let (email, password) = crate::program::OWNER;
    let (body, origin) =
        (json!({"email": email, "password": password}).to_string(), format!("Origin: {origin}"));
    fetch(
        proxy,
        folder,
        &format!("{under}/api/v1/auth/login"),
        &[JSON[0], JSON[1], "-H", &origin, "-d", &body],
    )
}

fn is_ok(answer: &str) -> bool {
    answer.lines().next().is_some_and(|line| line.contains(" 200"))
}

/// What every proxy must let through; the service is at the path `under`.
fn is_whole(proxy: &Proxy, home: &Home, under: &str) {
    let folder = home.path();
    let origin = format!("https://{NAME}:{}", proxy.port);
    let page = first(proxy, folder, &format!("{under}/"));
    assert!(is_ok(&page) && page.contains("<div id=\"root\">"), "{page}");
    let named = page.split(['"']).filter(|text| text.starts_with('/') && text.contains('.'));
    for part in named {
        assert!(part.starts_with(under) && is_ok(&fetch(proxy, folder, part, &[])), "{part}: {page}");
    }
    let nothing = fetch(proxy, folder, &format!("{under}/nothing/at/all"), &[]);
    assert!(nothing.contains("<div id=\"root\">") && !is_ok(&nothing), "{nothing}");

    let signed_in = sign_in(proxy, folder, under, &origin);
    let cookie = signed_in.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:")).unwrap();
    let below = format!("; Path={};", if under.is_empty() { "/" } else { under });
    assert!(is_ok(&signed_in) && cookie.contains("; Secure") && cookie.contains(&below), "{signed_in}");
    let me = fetch(proxy, folder, &format!("{under}/api/v1/auth/me"), &[]);
    assert!(is_ok(&me) && me.contains(crate::program::OWNER.0), "{me}");

    let flow = json!({
        "name": "Slow", "type": "CHATFLOW", "publishInstantly": true, "flowData": slow_canvas(40, 1_000).to_string(),
    });
    let from = format!("Origin: {origin}");
    let body = flow.to_string();
    let saved = [JSON[0], JSON[1], "-H", &from, "-d", &body];
    let saved = fetch(proxy, folder, &format!("{under}/api/v1/chatflows"), &saved);
    let record: Value = serde_json::from_str(saved.split("\r\n\r\n").nth(1).unwrap_or_default()).unwrap();
    let id = record["id"].as_str().expect("it is saved");
    let path = format!("{under}/api/v1/prediction/{id}");
    for page in
        [format!("{under}/flows/{id}/versions"), format!("{under}/chat/{id}"), format!("{under}/widget.js")]
    {
        let shown = fetch(proxy, folder, &page, &[]);
        assert!(is_ok(&shown) && (under.is_empty() || !shown.contains("src=\"/chat.js")), "{page}: {shown}");
    }

    // A stream that is held back on the way would be silent until its last word, 40 seconds from here.
    let question = json!({"question": "go", "streaming": true}).to_string();
    let mut asked = curl(proxy, folder, &path, &[JSON[0], JSON[1], "-N", "-d", &question]);
    let mut asked = asked.stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(asked.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let kept = lines.find(|line| line.to_ascii_lowercase().starts_with("set-cookie: service_session="));
    assert!(
        kept.is_some_and(|line| line.contains(&format!("; Path={under}/api/v1;"))),
        "the conversation is kept below the path"
    );
    assert!(lines.any(|line| line.contains(r#""event":"token""#)), "a first word arrives");
    assert!(asked.try_wait().unwrap().is_none(), "the first word arrived before the last");
    let _ = asked.kill();
    let _ = asked.wait();

    let address =
        fetch(proxy, folder, &format!("{under}/api/v1/ip"), &["-H", "X-Forwarded-For: 203.0.113.9"]);
    assert!(is_ok(&address) && address.contains(CLIENT), "{address}");
}

#[test]
fn the_manual_shows_the_settings_that_are_tested() {
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/manual/13-operation.md");
    let manual = fs::read_to_string(chapter).unwrap();
    for name in ["nginx.conf", "Caddyfile", "traefik.yml"] {
        assert!(manual.contains(read_packaged(name).trim_end()), "{name}");
    }
}

#[test]
fn behind_nginx_people_sign_in_over_https_and_streams_flow() {
    if !are_installed(&["nginx", "openssl", "curl"]) {
        return;
    }
    let (home, port, upstream) = (Home::new(), free_port(), free_port());
    let base = format!("https://{NAME}:{port}");
    let _service =
        service(&home, upstream, &[("SERVICE_BASE_URL", &base), ("SERVICE_TRUSTED_PROXIES", "127.0.0.1")]);
    let server = with(&read_packaged("nginx.conf"), &[("127.0.0.1:3000", &format!("127.0.0.1:{upstream}"))]);
    is_whole(&nginx(home.path(), &server, port), &home, "");
}

#[test]
fn behind_caddy_people_sign_in_over_https_and_streams_flow() {
    if !are_installed(&["caddy", "curl"]) {
        return;
    }
    let (home, port, upstream) = (Home::new(), free_port(), free_port());
    let base = format!("https://{NAME}:{port}");
    let _service =
        service(&home, upstream, &[("SERVICE_BASE_URL", &base), ("SERVICE_TRUSTED_PROXIES", "127.0.0.1")]);
    let site = with(&read_packaged("Caddyfile"), &[("127.0.0.1:3000", &format!("127.0.0.1:{upstream}"))]);
    is_whole(&caddy(home.path(), &site, port), &home, "");
}

/// The service below a path, which the proxy passes on or takes away.
fn below(path: &str, proxy: impl Fn(&Path, u16, &str) -> Proxy) {
    let (home, port, upstream) = (Home::new(), free_port(), free_port());
    let base = format!("https://{NAME}:{port}{path}/");
    let _service =
        service(&home, upstream, &[("SERVICE_BASE_URL", &base), ("SERVICE_TRUSTED_PROXIES", "127.0.0.1")]);
    is_whole(&proxy(home.path(), port, &format!("127.0.0.1:{upstream}")), &home, path);
}

#[test]
fn below_a_path_nginx_may_pass_it_on_or_take_it_away() {
    if !are_installed(&["nginx", "openssl", "curl"]) {
        return;
    }
    for (path, end) in [("/flows", ""), ("/flows", "/"), ("/chat", ""), ("/tools/ai", "/")] {
        below(path, |folder, port, upstream| {
            let place = format!("location {path}/ {{");
            let to = format!("http://{upstream}{end};");
            let server = with(
                &read_packaged("nginx.conf"),
                &[("location / {", &place), ("http://127.0.0.1:3000;", &to)],
            );
            nginx(folder, &server, port)
        });
    }
}

#[test]
fn below_a_path_caddy_may_pass_it_on_or_take_it_away() {
    if !are_installed(&["caddy", "curl"]) {
        return;
    }
    for handle in ["handle", "handle_path"] {
        below("/flows", |folder, port, upstream| {
            let place = format!("\t{handle} /flows/* {{\n\treverse_proxy {upstream} {{");
            let site = with(
                &read_packaged("Caddyfile"),
                &[("\treverse_proxy 127.0.0.1:3000 {", &place), ("\t}\n", "\t}\n\t}\n")],
            );
            caddy(folder, &site, port)
        });
    }
}

#[test]
fn behind_a_proxy_without_a_base_url_the_refusal_says_what_to_set() {
    if !are_installed(&["nginx", "openssl", "curl"]) {
        return;
    }
    let (home, port, upstream) = (Home::new(), free_port(), free_port());
    let program = service(&home, upstream, &[]);
    let bare = format!(
        "server {{\nlisten 443 ssl;\nssl_certificate /etc/letsencrypt/live/flows.example.com/fullchain.pem;\n\
         ssl_certificate_key /etc/letsencrypt/live/flows.example.com/privkey.pem;\n\
         location / {{ proxy_pass http://127.0.0.1:{upstream}; }}\n}}"
    );
    let proxy = nginx(home.path(), &bare, port);
    let origin = format!("https://{NAME}:{port}");
    for _ in 0..2 {
        let refused = sign_in(&proxy, home.path(), "", &origin);
        let said = [
            " 403",
            &origin,
            &format!("expected at http://127.0.0.1:{upstream}"),
            &format!("SERVICE_BASE_URL={origin}"),
        ];
        assert!(said.iter().all(|part| refused.contains(part)), "{refused}");
    }
    let log = program.log();
    assert_eq!(log.lines().filter(|line| line.contains(&origin)).count(), 1, "{log}");
    assert!(log.lines().any(|line| line.contains(&origin) && line.contains("SERVICE_BASE_URL")), "{log}");
}
