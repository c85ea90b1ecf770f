//! The internet as a service behind a company's proxy sees it: every https address leads to a stand-in here, with a
//! certificate of an authority that the service trusts. So what goes out is what would go to the real addresses.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct SeenRequest {
    pub method: String,
    /// Host, path and query.
    pub address: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl SeenRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// A field of a form.
    pub fn field(&self, name: &str) -> Option<String> {
        let mut fields = form_urlencoded::parse(self.body.as_bytes());
        fields.find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
    }
}

/// What a stand-in does.
pub enum StandInAnswer {
    Json(u16, Value),
    Text(u16, String),
    /// A status with a header.
    With(u16, &'static str, &'static str),
    /// What is answered at this address of this machine, as it comes.
    Relay(SocketAddr),
    /// Nothing more, on a closed connection.
    Close,
}

type Decide = dyn Fn(&SeenRequest) -> StandInAnswer + Send + Sync;

pub struct InternetStandIn {
    pub proxy: String,
    /// The file of the authority.
    pub authority: String,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
    _folder: TempDir,
}

impl InternetStandIn {
    /// One in which these hosts are found.
    pub fn of(
        hosts: &[&str],
        decide: impl Fn(&SeenRequest) -> StandInAnswer + Send + Sync + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let file = folder.path().join("authority");
        std::fs::write(&file, params.self_signed(&key).unwrap().pem()).unwrap();
        let (issuer, own_key) = (Issuer::new(params, key), KeyPair::generate().unwrap());
        let names = hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let shown = CertificateParams::new(names).unwrap().signed_by(&own_key, &issuer).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![shown.der().clone()],
                PrivateKeyDer::try_from(own_key.serialize_der()).unwrap(),
            )
            .unwrap();
        let (config, decide): (_, Arc<Decide>) = (Arc::new(config), Arc::new(decide));
        let seen: Arc<Mutex<Vec<SeenRequest>>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let noted = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, decide, noted) = (config.clone(), decide.clone(), noted.clone());
                std::thread::spawn(move || {
                    let _ = serve(stream, config, &*decide, &noted);
                });
            }
        });
        Self { proxy, authority: file.to_str().unwrap().to_owned(), seen, _folder: folder }
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().unwrap().clone()
    }

    /// Forgets what was asked.
    pub fn forget(&self) {
        self.seen.lock().unwrap().clear();
    }
}

/// One tunnel: what the proxy is asked for, then requests over TLS, one after the other.
fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    decide: &Decide,
    noted: &Mutex<Vec<SeenRequest>>,
) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut asked = String::new();
    let mut plain = stream.try_clone().unwrap();
    let mut byte = [0];
    while !asked.ends_with("\r\n\r\n") {
        plain.read_exact(&mut byte).ok()?;
        asked.push(byte[0] as char);
    }
    let host = asked.strip_prefix("CONNECT ")?.split(':').next()?.to_owned();
    plain.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    let tls = StreamOwned::new(ServerConnection::new(config).ok()?, stream);
    let mut reader = BufReader::new(tls);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let mut body = vec![0; length.map_or(0, |(_, length)| length.parse().unwrap())];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8(body).unwrap();
        let seen = SeenRequest { method, address: format!("{host}{path}"), headers, body };
        noted.lock().unwrap().push(seen.clone());
        let (status, more, body) = match decide(&seen) {
            StandInAnswer::Json(status, body) => (status, String::new(), body.to_string()),
            StandInAnswer::Text(status, body) => (status, String::new(), body),
            StandInAnswer::With(status, name, value) => {
                (status, format!("{name}: {value}\r\n"), String::new())
            }
            StandInAnswer::Relay(to) => {
                relay(&seen, to, reader.get_mut())?;
                continue;
            }
            StandInAnswer::Close => return None,
        };
        let length =
            if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{more}{length}\r\n");
        let tls = reader.get_mut();
        tls.write_all(head.as_bytes()).ok()?;
        tls.write_all(body.as_bytes()).ok()?;
        tls.flush().ok()?;
    }
}

/// Sends a request on, and hands the answer back piece by piece.
fn relay(seen: &SeenRequest, to: SocketAddr, tls: &mut impl Write) -> Option<()> {
    let path = seen.address.split_once('/')?.1;
    let mut head = format!("{} /{path} HTTP/1.1\r\n", seen.method);
    for (name, value) in &seen.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut beyond = TcpStream::connect(to).ok()?;
    beyond.write_all(format!("{head}\r\n{}", seen.body).as_bytes()).ok()?;
    // One request a connection: its end is the end of the answer.
    beyond.shutdown(Shutdown::Write).ok()?;
    let mut piece = [0; 4096];
    loop {
        let length = beyond.read(&mut piece).ok()?;
        if length == 0 {
            return Some(());
        }
        tls.write_all(&piece[..length]).ok()?;
        tls.flush().ok()?;
    }
}
