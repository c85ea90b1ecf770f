//! A mail server that speaks the real wire: EHLO, STARTTLS with a certificate of an authority that the service is told, TLS from the
//! first byte, AUTH by PLAIN and LOGIN, and every way to refuse. What it took can be read as people's programs would.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Nothing that is waited for here takes longer.
const PATIENCE: Duration = Duration::from_secs(45);

/// How the server behaves.
#[derive(Clone)]
pub struct Habit {
    /// TLS from the first byte.
    pub implicit_tls: bool,
    /// STARTTLS is offered, and nothing is taken before it.
    pub starttls: bool,
    /// Who may sign in, by which ways; without one nobody need.
    pub user: Option<(&'static str, &'static str)>,
    pub ways: &'static str,
    /// What is answered to `RCPT TO`, if it is no consent.
    pub refusal: Option<&'static str>,
    /// Takes a whole message and never says that it did.
    pub silent_after_data: bool,
    /// Says something behind its consent to encrypt.
    pub says_before_tls: bool,
}

impl Default for Habit {
    fn default() -> Self {
        Self {
            implicit_tls: false,
            starttls: false,
            user: None,
            ways: "PLAIN LOGIN",
            refusal: None,
            silent_after_data: false,
            says_before_tls: false,
        }
    }
}

/// A message as it came.
#[derive(Debug, Clone)]
pub struct TakenMail {
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body, dots unstuffed.
    pub text: String,
    /// It came over TLS.
    pub tls: bool,
    /// Who had signed in.
    pub user: Option<String>,
}

impl TakenMail {
    /// The value of a header, unfolded, as it came.
    pub fn header(&self, name: &str) -> Option<String> {
        let head = self.text.split("\r\n\r\n").next()?.replace("\r\n ", " ").replace("\r\n\t", " ");
        let find = |line: &str| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        };
        head.split("\r\n").find_map(find)
    }

    pub fn header_names(&self) -> Vec<String> {
        let head = self.text.split("\r\n\r\n").next().unwrap_or_default();
        let name = |line: &str| Some(line.split_once(':')?.0.to_ascii_lowercase());
        head.split("\r\n").filter(|line| !line.starts_with([' ', '\t'])).filter_map(name).collect()
    }

    /// The body as people read it.
    pub fn body(&self) -> String {
        let body = self.text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        let bytes = match self.header("Content-Transfer-Encoding").as_deref() {
            Some("base64") => STANDARD.decode(body.replace("\r\n", "")).expect("base64"),
            Some("quoted-printable") => decode_quoted(body),
            _ => body.as_bytes().to_vec(),
        };
        String::from_utf8(bytes).expect("the body is UTF-8").replace("\r\n", "\n")
    }

    /// What follows `token=` in the body.
    pub fn token(&self) -> String {
        let body = self.body();
        let (_, rest) = body.split_once("token=").unwrap_or_else(|| panic!("there is no link: {body}"));
        rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
    }
}

fn decode_quoted(body: &str) -> Vec<u8> {
    let joined = body.replace("=\r\n", "");
    let (mut out, mut bytes) = (Vec::new(), joined.bytes());
    while let Some(byte) = bytes.next() {
        if byte == b'=' {
            let code = [bytes.next().expect("a digit"), bytes.next().expect("a digit")];
            let code = std::str::from_utf8(&code).expect("two digits");
            out.push(u8::from_str_radix(code, 16).expect("hex"));
        } else {
            out.push(byte);
        }
    }
    out
}

#[derive(Default)]
struct Seen {
    taken: Vec<TakenMail>,
    /// Messages of which the last line came, whether or not that was said.
    arrived: usize,
    lines: Vec<String>,
}

/// The server; it goes on for as long as the tests do.
pub struct MailServer {
    pub address: SocketAddr,
    habit: Arc<Mutex<Habit>>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    authority: TempDir,
}

impl MailServer {
    pub fn start(habit: Habit) -> Self {
        Self::listen(TcpListener::bind("127.0.0.1:0").expect("a free port"), habit)
    }

    /// Begins to answer at this port, which nobody has.
    pub fn start_at(port: u16, habit: Habit) -> Self {
        Self::listen(TcpListener::bind(("127.0.0.1", port)).expect("the port is free"), habit)
    }

    fn listen(listener: TcpListener, habit: Habit) -> Self {
        let address = listener.local_addr().expect("a bound port");
        let authority = tempfile::tempdir().expect("a temporary folder");
        let config = identity(&authority);
        let (habit, seen) = (Arc::new(Mutex::new(habit)), Arc::new((Mutex::default(), Condvar::new())));
        let (habits, sees) = (habit.clone(), seen.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let habit = habits.lock().expect("no test panics here").clone();
                let (config, seen) = (config.clone(), sees.clone());
                std::thread::spawn(move || Exchange::new(stream, config, habit, seen).run());
            }
        });
        Self { address, habit, seen, authority }
    }

    /// From the next connection on.
    pub fn change(&self, habit: Habit) {
        *self.habit.lock().expect("no test panics here") = habit;
    }

    /// The file with the authority that signed its certificate, which is one of `localhost`.
    pub fn authority(&self) -> String {
        self.authority.path().join("authority.pem").to_str().expect("a plain path").to_owned()
    }

    /// Its place by the name of its certificate.
    pub fn place(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// The messages that it took, once there are so many.
    pub fn taken(&self, count: usize) -> Vec<TakenMail> {
        self.wait(|seen| seen.taken.len() >= count, |seen| seen.taken.clone())
    }

    /// The messages that it took for this receiver, once there are so many.
    pub fn taken_for(&self, receiver: &str, count: usize) -> Vec<TakenMail> {
        let theirs = |seen: &Seen| -> Vec<TakenMail> {
            seen.taken.iter().filter(|mail| mail.to == [receiver]).cloned().collect()
        };
        self.wait(|seen| theirs(seen).len() >= count, theirs)
    }

    /// The messages with this subject, once there are so many.
    pub fn taken_about(&self, subject: &str, count: usize) -> Vec<TakenMail> {
        let such = |seen: &Seen| -> Vec<TakenMail> {
            let is_such = |mail: &&TakenMail| mail.header("Subject").as_deref() == Some(subject);
            seen.taken.iter().filter(is_such).cloned().collect()
        };
        self.wait(|seen| such(seen).len() >= count, such)
    }

    /// The messages that it took until now.
    pub fn taken_now(&self) -> Vec<TakenMail> {
        self.seen.0.lock().expect("no test panics here").taken.clone()
    }

    /// Waits until so many messages came whole.
    pub fn arrived(&self, count: usize) {
        self.wait(|seen| seen.arrived >= count, |_| ());
    }

    /// Waits until a line came that begins like this.
    pub fn heard(&self, start: &str) {
        self.wait(|seen| seen.lines.iter().any(|line| line.starts_with(start)), |_| ());
    }

    fn wait<T>(&self, done: impl Fn(&Seen) -> bool, what: impl Fn(&Seen) -> T) -> T {
        let end = Instant::now() + PATIENCE;
        let mut seen = self.seen.0.lock().expect("no test panics here");
        while !done(&seen) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it did not come: {:?} {:?}", seen.lines, seen.taken);
            seen = self.seen.1.wait_timeout(seen, left).expect("no test panics here").0;
        }
        what(&seen)
    }
}

fn identity(folder: &TempDir) -> Arc<ServerConfig> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let pem = params.self_signed(&key).expect("a certificate").pem();
    std::fs::write(folder.path().join("authority.pem"), pem).expect("the folder can be written");
    let issuer = Issuer::new(params, key);
    let own = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = certificate.signed_by(&own, &issuer).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("both versions")
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(own.serialize_der()).expect("a key"),
        );
    Arc::new(config.expect("key and certificate fit"))
}

enum Wire {
    Plain(BufReader<TcpStream>),
    Tls(Box<BufReader<StreamOwned<ServerConnection, TcpStream>>>),
}

/// One connection.
struct Exchange {
    wire: Option<Wire>,
    config: Arc<ServerConfig>,
    habit: Habit,
    seen: Arc<(Mutex<Seen>, Condvar)>,
    tls: bool,
    user: Option<String>,
}

impl Exchange {
    fn new(
        stream: TcpStream,
        config: Arc<ServerConfig>,
        habit: Habit,
        seen: Arc<(Mutex<Seen>, Condvar)>,
    ) -> Self {
        let wire = Some(Wire::Plain(BufReader::new(stream)));
        let mut exchange = Self { wire, config, habit, seen, tls: false, user: None };
        if exchange.habit.implicit_tls {
            exchange.encrypt();
        }
        exchange
    }

    fn encrypt(&mut self) {
        let Some(Wire::Plain(plain)) = self.wire.take() else { panic!("it is encrypted already") };
        let server = ServerConnection::new(self.config.clone()).expect("the config is whole");
        let stream = StreamOwned::new(server, plain.into_inner());
        (self.wire, self.tls) = (Some(Wire::Tls(Box::new(BufReader::new(stream)))), true);
    }

    fn say(&mut self, text: &str) {
        let text = format!("{text}\r\n");
        // Who left hears nothing.
        let _ = match self.wire.as_mut().expect("it is there") {
            Wire::Plain(wire) => wire.get_mut().write_all(text.as_bytes()),
            Wire::Tls(wire) => wire.get_mut().write_all(text.as_bytes()),
        };
    }

    /// The next line without its end, which must be that of mail; `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = Vec::new();
        match self.wire.as_mut().expect("it is there") {
            Wire::Plain(wire) => wire.read_until(b'\n', &mut line).ok()?,
            Wire::Tls(wire) => wire.read_until(b'\n', &mut line).ok()?,
        };
        let text = String::from_utf8(line).expect("only ASCII is sent here");
        let line = text.strip_suffix("\r\n")?.to_owned();
        let mut seen = self.seen.0.lock().expect("no test panics here");
        seen.lines.push(line.clone());
        self.seen.1.notify_all();
        Some(line)
    }

    fn run(mut self) {
        self.say("220 mail.test ESMTP");
        let (mut from, mut to) = (String::new(), Vec::new());
        while let Some(line) = self.line() {
            let word = line.split(' ').next().unwrap_or_default().to_ascii_uppercase();
            let locked =
                (self.habit.starttls && !self.tls) || (self.habit.user.is_some() && self.user.is_none());
            match word.as_str() {
                "EHLO" => self.greet(),
                "STARTTLS" if self.habit.starttls && !self.tls => {
                    let more = if self.habit.says_before_tls { "\r\n250 injected" } else { "" };
                    self.say(&format!("220 go ahead{more}"));
                    self.encrypt();
                }
                "AUTH" => self.sign_in(&line),
                "MAIL" if locked => self.say("530 5.7.0 Sign in first"),
                "MAIL" => {
                    from = inside(&line);
                    self.say("250 OK");
                }
                "RCPT" => match self.habit.refusal {
                    Some(refusal) => self.say(refusal),
                    None => {
                        to.push(inside(&line));
                        self.say("250 OK");
                    }
                },
                "DATA" => {
                    self.say("354 go on");
                    let Some(text) = self.data() else { return };
                    let mail = TakenMail {
                        from: std::mem::take(&mut from),
                        to: std::mem::take(&mut to),
                        text,
                        tls: self.tls,
                        user: self.user.clone(),
                    };
                    self.take(mail);
                }
                "RSET" => {
                    to.clear();
                    self.say("250 OK");
                }
                "QUIT" => return self.say("221 bye"),
                _ => self.say("500 what?"),
            }
        }
    }

    fn greet(&mut self) {
        let mut lines = vec!["mail.test".to_owned(), "8BITMIME".to_owned()];
        if self.habit.starttls && !self.tls {
            lines.push("STARTTLS".to_owned());
        } else if self.habit.user.is_some() {
            lines.push(format!("AUTH {}", self.habit.ways));
        }
        let last = lines.len() - 1;
        for (at, line) in lines.iter().enumerate() {
            self.say(&format!("250{}{line}", if at == last { ' ' } else { '-' }));
        }
    }

    fn sign_in(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let decode = |text: &str| String::from_utf8(STANDARD.decode(text).expect("base64")).expect("UTF-8");
        let given = match words[1] {
            "PLAIN" => {
                let text = decode(words[2]);
                let parts: Vec<&str> = text.split('\0').collect();
                (parts[1].to_owned(), parts[2].to_owned())
            }
            "LOGIN" => {
                self.say("334 VXNlcm5hbWU6");
                let user = self.line().unwrap_or_default();
                self.say("334 UGFzc3dvcmQ6");
                let password = self.line().unwrap_or_default();
                (decode(&user), decode(&password))
            }
            other => panic!("nobody offered {other}"),
        };
        let is_known =
            self.habit.user.is_some_and(|(user, password)| given == (user.into(), password.into()));
        if is_known {
            self.user = Some(given.0);
            self.say("235 welcome");
        } else {
            // Some servers repeat what they were given.
            self.say(&format!("535 5.7.8 {} is not {}'s password", given.1, given.0));
        }
    }

    fn data(&mut self) -> Option<String> {
        let mut text = String::new();
        loop {
            let line = self.line()?;
            if line == "." {
                return Some(text);
            }
            text.push_str(line.strip_prefix('.').unwrap_or(&line));
            text.push_str("\r\n");
        }
    }

    fn take(&mut self, mail: TakenMail) {
        {
            let mut seen = self.seen.0.lock().expect("no test panics here");
            seen.arrived += 1;
            if !self.habit.silent_after_data {
                seen.taken.push(mail);
            }
            self.seen.1.notify_all();
        }
        if self.habit.silent_after_data {
            // Until whoever waits for the answer is gone.
            let mut rest = Vec::new();
            let _ = match self.wire.as_mut().expect("it is there") {
                Wire::Plain(wire) => wire.read_to_end(&mut rest),
                Wire::Tls(wire) => wire.read_to_end(&mut rest),
            };
        } else {
            self.say("250 2.0.0 taken");
        }
    }
}

/// What stands between angle brackets.
fn inside(line: &str) -> String {
    let inner = line.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    inner.map_or_else(String::new, |(inner, _)| inner.to_owned())
}
