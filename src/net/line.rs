//! A connection for protocols that are not HTTP: to a judged address, with the same end of every wait, plain or over TLS.

use super::NetError;
use super::guard;
use super::resolve::Judged;
use super::transport::{CONNECT_SECONDS_MAX, patiently, reach};
use super::waiting::Waiting;
use crate::domain::cancel::Cancel;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Certificates of authorities that are read from one text.
const AUTHORITIES_MAX: usize = 200;

/// One connection. Each exchange on it has a time of its own: see [`Line::exchange`].
pub struct Line {
    io: Io,
    /// The host, as it was judged.
    host: String,
    /// Host and port, as errors show them.
    label: String,
}

enum Io {
    Plain(Wire),
    Tls(Box<StreamOwned<ClientConnection, Wire>>),
}

/// The socket, and what ends a wait on it.
struct Wire {
    stream: Arc<TcpStream>,
    waiting: Waiting,
    end: Instant,
}

impl Wire {
    fn wait<T>(&self, mut step: impl FnMut(&TcpStream, Duration) -> io::Result<T>) -> io::Result<T> {
        Ok(patiently(&self.stream, &self.waiting, self.end, |left| step(&self.stream, left))?)
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait(|mut stream, left| {
            stream.set_read_timeout(Some(left))?;
            stream.read(buffer)
        })
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(|mut stream, left| {
            stream.set_write_timeout(Some(left))?;
            stream.write(bytes)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Line {
    pub(super) fn open(
        judged: &Judged,
        host: &str,
        port: u16,
        cancel: &Cancel,
        most: Duration,
    ) -> Result<Self, NetError> {
        let host = guard::host(host)?;
        if port == 0 {
            return Err(NetError::BadAddress("port 0 cannot be called".into()));
        }
        let label = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let waiting = Waiting { cancel: cancel.clone(), stall: most };
        let (addresses, _) = waiting.clone().around(|| judged.addresses(&host, port));
        let time = most.min(Duration::from_secs(CONNECT_SECONDS_MAX));
        let stream =
            reach(&waiting, &addresses?, time)?.ok_or_else(|| NetError::Unreachable(label.clone()))?;
        let end = waiting.until(most);
        Ok(Self { io: Io::Plain(Wire { stream: Arc::new(stream), waiting, end }), host, label })
    }

    /// Host and port, the only part of the address that errors show.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    fn wire(&mut self) -> &mut Wire {
        match &mut self.io {
            Io::Plain(wire) => wire,
            Io::Tls(stream) => &mut stream.sock,
        }
    }

    /// What is read and written from here on belongs to this run and ends with it, or after `most`.
    pub fn exchange(&mut self, cancel: &Cancel, most: Duration) {
        let waiting = Waiting { cancel: cancel.clone(), stall: most };
        let wire = self.wire();
        wire.end = waiting.until(most);
        wire.waiting = waiting;
    }

    /// Goes on over TLS. The server must prove that it is the host that was called, by one of the authorities that are
    /// trusted everywhere or, with `authorities` (certificates as PEM), by one of those alone.
    ///
    /// # Errors
    /// When it does not.
    pub fn secure(self, authorities: Option<&str>) -> Result<Self, NetError> {
        let Self { io, host, label } = self;
        let Io::Plain(mut wire) = io else { return Ok(Self { io, host, label }) };
        let untrusted = || NetError::Broken(format!("no trusted TLS connection to {label}"));
        let name = ServerName::try_from(host.clone()).map_err(|_| untrusted())?;
        let mut client =
            ClientConnection::new(Arc::new(config(roots(authorities)?)?), name).map_err(|_| untrusted())?;
        while client.is_handshaking() {
            client.complete_io(&mut wire).map_err(|error| match own(&error) {
                Some(known) => known,
                None => untrusted(),
            })?;
        }
        Ok(Self { io: Io::Tls(Box::new(StreamOwned::new(client, wire))), host, label })
    }
}

/// The error that this room put into one of the library's.
fn own(error: &io::Error) -> Option<NetError> {
    error.get_ref().and_then(|inner| inner.downcast_ref::<NetError>()).cloned()
}

fn config(roots: RootCertStore) -> Result<ClientConfig, NetError> {
    let broken = |_| NetError::Broken("TLS cannot be used here".into());
    Ok(ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(broken)?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

fn roots(authorities: Option<&str>) -> Result<RootCertStore, NetError> {
    let Some(text) = authorities else {
        return Ok(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() });
    };
    let bad = || NetError::BadAddress("the certificate of the authority cannot be read".into());
    let mut store = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(text.as_bytes()).take(AUTHORITIES_MAX) {
        store.add(certificate.map_err(|_| bad())?).map_err(|_| bad())?;
    }
    if store.is_empty() { Err(bad()) } else { Ok(store) }
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.io {
            Io::Plain(wire) => wire.read(buffer),
            Io::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.io {
            Io::Plain(wire) => wire.write(bytes),
            Io::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.io {
            Io::Plain(wire) => wire.flush(),
            Io::Tls(stream) => stream.flush(),
        }
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Outgoing;
    use rustls::ServerConnection;
    use rustls::pki_types::PrivateKeyDer;
    use std::net::TcpListener;
    use std::process::Command;

    /// A certificate for `localhost` and its key, as PEM; `None`, and says so, where nothing makes one.
    fn certificate() -> Option<(String, String)> {
        let folder = tempfile::tempdir().unwrap();
        let (key, certificate) = (folder.path().join("key.pem"), folder.path().join("certificate.pem"));
        let mut program = Command::new("openssl");
        program.args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
        ]);
        program.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]);
        program.args(["-addext", "basicConstraints=critical,CA:FALSE", "-keyout"]);
        program.arg(&key).arg("-out").arg(&certificate);
        if !program.output().is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: openssl makes no certificate here");
            return None;
        }
        Some((std::fs::read_to_string(certificate).unwrap(), std::fs::read_to_string(key).unwrap()))
    }

    /// A server with this certificate that gives back what it is sent; gives its port.
    fn echo(certificate: &str, key: &str) -> u16 {
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(config));
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut tls = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
                let mut some = [0; 64];
                if let Ok(amount) = tls.read(&mut some) {
                    let _ = tls.write_all(&some[..amount]);
                }
            }
        });
        port
    }

    #[test]
    fn a_server_is_trusted_by_its_name_and_its_authority() {
        let Some((certificate, key)) = certificate() else { return };
        let port = echo(&certificate, &key);
        let (outgoing, cancel) = (Outgoing::new(Vec::new(), true), Cancel::new(None));
        let open = |host| outgoing.connect(host, port, &cancel, Duration::from_secs(5)).unwrap();
        let mut line = open("localhost").secure(Some(&certificate)).unwrap();
        line.write_all(b"said in secret").unwrap();
        line.flush().unwrap();
        let mut heard = [0; 14];
        line.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"said in secret");
        for (host, authorities) in [("127.0.0.1", Some(certificate.as_str())), ("localhost", None)] {
            let refused = open(host).secure(authorities).err();
            let label = format!("no trusted TLS connection to {host}:{port}");
            assert_eq!(refused, Some(NetError::Broken(label)));
        }
    }
}
