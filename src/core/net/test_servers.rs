//! Servers for tests: with certificates that an authority of the test signs, and a proxy.
#![allow(clippy::unwrap_used, reason = "a test whose server does not come up has failed")]

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
#[cfg(test)]
use std::sync::Mutex;

/// An authority.
pub struct TestAuthority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

/// What a server shows.
pub struct ServerIdentity {
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl TestAuthority {
    pub fn generate() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    pub fn pem(&self) -> String {
        self.pem.clone()
    }

    /// A certificate of this name.
    pub fn issue(&self, name: &str) -> ServerIdentity {
        self.sign(CertificateParams::new(vec![name.to_owned()]).unwrap())
    }

    /// A certificate of this name that has expired.
    pub fn issue_expired(&self, name: &str) -> ServerIdentity {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        self.sign(params)
    }

    /// A certificate of this name that begins to be valid long from now.
    #[cfg(test)]
    pub(crate) fn issue_not_yet_valid(&self, name: &str) -> ServerIdentity {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2090, 1, 1);
        params.not_after = rcgen::date_time_ymd(2091, 1, 1);
        self.sign(params)
    }

    fn sign(&self, params: CertificateParams) -> ServerIdentity {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        ServerIdentity {
            chain: vec![certificate.der().clone()],
            key: PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        }
    }
}

/// Serves each connection over TLS on a thread of its own; gives the port.
pub(crate) fn serve_tls(
    identity: ServerIdentity,
    habit: impl Fn(StreamOwned<ServerConnection, TcpStream>) + Send + Sync + 'static,
) -> u16 {
    serve_upgraded(identity, |_| (), move |tls, ()| habit(tls))
}

/// As [`serve_tls`], for a protocol whose first words are plain: `begin` says them, and hands on what it heard.
pub fn serve_upgraded<T>(
    identity: ServerIdentity,
    begin: impl Fn(&mut TcpStream) -> T + Send + Sync + 'static,
    habit: impl Fn(StreamOwned<ServerConnection, TcpStream>, T) + Send + Sync + 'static,
) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain, identity.key)
        .unwrap();
    let config = Arc::new(config);
    serve_plain(move |mut stream| {
        let heard = begin(&mut stream);
        habit(StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream), heard);
    })
}

/// Serves each connection on a thread of its own; gives the port.
pub fn serve_plain(habit: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, habit) = (listener.local_addr().unwrap().port(), Arc::new(habit));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let habit = habit.clone();
            std::thread::spawn(move || habit(stream));
        }
    });
    port
}

/// A server that gives back what it is sent; gives its port.
#[cfg(test)]
pub(crate) fn serve_echo(identity: ServerIdentity) -> u16 {
    serve_tls(identity, |mut tls| {
        let mut some = [0; 64];
        if let Ok(amount) = tls.read(&mut some) {
            let _ = tls.write_all(&some[..amount]);
        }
    })
}

/// Reads the head of a request; empty when there is none.
pub fn read_head(stream: &mut impl Read) -> String {
    let (mut seen, mut byte) = (Vec::new(), [0]);
    while !seen.ends_with(b"\r\n\r\n") {
        if !matches!(stream.read(&mut byte), Ok(1)) {
            return String::new();
        }
        seen.push(byte[0]);
    }
    String::from_utf8(seen).unwrap()
}

const HELLO: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

/// A web server that says hello over TLS; gives its port.
pub fn serve_hello(identity: ServerIdentity) -> u16 {
    serve_tls(identity, |mut tls| {
        while !read_head(&mut tls).is_empty() {
            let _ = tls.write_all(HELLO);
        }
    })
}

/// A proxy, which notes the heads it was sent. Tunnels lead to `port` of this machine, whatever was asked for; requests
/// that it is to pass on are answered with hello. It asks for a password when `wants` is one.
#[cfg(test)]
pub(crate) struct ForwardProxy {
    pub port: u16,
    pub heads: Arc<Mutex<Vec<String>>>,
}

#[cfg(test)]
impl ForwardProxy {
    pub(crate) fn start(port: u16, wants: Option<&'static str>) -> Self {
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = heads.clone();
        let own = serve_plain(move |mut stream| {
            loop {
                let asked = read_head(&mut stream);
                if asked.is_empty() {
                    return;
                }
                noted.lock().unwrap().push(asked.clone());
                if wants.is_some_and(|wanted| !asked.contains(wanted)) {
                    let _ = stream.write_all(b"HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n");
                    return;
                }
                if !asked.starts_with("CONNECT ") {
                    let _ = stream.write_all(HELLO);
                    continue;
                }
                let Ok(mut other) = TcpStream::connect(("127.0.0.1", port)) else { return };
                let _ = stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n");
                let (mut back, mut forth) = (other.try_clone().unwrap(), stream.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut back, &mut forth));
                let _ = std::io::copy(&mut stream, &mut other);
                return;
            }
        });
        Self { port: own, heads }
    }

    pub(crate) fn request_heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}
