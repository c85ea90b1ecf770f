//! A connection for protocols that are not HTTP: to a judged address, with the same end of every wait, plain or over TLS.

use super::NetError;
use super::guard;
use super::resolve::GuardedResolver;
use super::tls::{self, TrustStore};
use super::transport::{CONNECT_SECONDS_MAX, connect_any, retry_until};
use super::wait_limits::WaitLimits;
use crate::base::cancel::CancelToken;
use rustls::{ClientConnection, StreamOwned};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One connection. Each exchange on it has a time of its own: see [`GuardedStream::start_exchange`].
pub struct GuardedStream {
    io: StreamIo,
    /// The host, as it was judged.
    host: String,
    /// Host and port, as errors show them.
    label: String,
    /// Who vouches for it when the card names nobody.
    trust: TrustStore,
}

enum StreamIo {
    Plain(DeadlineSocket),
    Tls(Box<StreamOwned<ClientConnection, DeadlineSocket>>),
}

/// The socket, and what ends a wait on it.
struct DeadlineSocket {
    stream: Arc<TcpStream>,
    limits: WaitLimits,
    end: Instant,
}

impl DeadlineSocket {
    fn wait<T>(&self, mut step: impl FnMut(&TcpStream, Duration) -> io::Result<T>) -> io::Result<T> {
        Ok(retry_until(&self.stream, &self.limits, self.end, |left| step(&self.stream, left))?)
    }
}

impl Read for DeadlineSocket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait(|mut stream, left| {
            stream.set_read_timeout(Some(left))?;
            stream.read(buffer)
        })
    }
}

impl Write for DeadlineSocket {
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

impl GuardedStream {
    pub(super) fn open(
        (judged, trust): (&GuardedResolver, &TrustStore),
        host: &str,
        port: u16,
        cancel: &CancelToken,
        most: Duration,
    ) -> Result<Self, NetError> {
        let host = guard::host(host)?;
        if port == 0 {
            return Err(NetError::BadAddress("port 0 cannot be called".into()));
        }
        let label = if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let waiting = WaitLimits { cancel: cancel.clone(), stall: most };
        let (addresses, _) = waiting.clone().run(|| judged.resolve_host(&host, port));
        let time = most.min(Duration::from_secs(CONNECT_SECONDS_MAX));
        let stream =
            connect_any(&waiting, &addresses?, time)?.ok_or_else(|| NetError::Unreachable(label.clone()))?;
        let end = waiting.deadline(most);
        let io = StreamIo::Plain(DeadlineSocket { stream: Arc::new(stream), limits: waiting, end });
        Ok(Self { io, host, label, trust: trust.clone() })
    }

    /// Host and port, the only part of the address that errors show.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    fn socket(&mut self) -> &mut DeadlineSocket {
        match &mut self.io {
            StreamIo::Plain(wire) => wire,
            StreamIo::Tls(stream) => &mut stream.sock,
        }
    }

    /// What is read and written from here on belongs to this run and ends with it, or after `most`.
    pub fn start_exchange(&mut self, cancel: &CancelToken, most: Duration) {
        let waiting = WaitLimits { cancel: cancel.clone(), stall: most };
        let wire = self.socket();
        wire.end = waiting.deadline(most);
        wire.limits = waiting;
    }

    /// Goes on over TLS. The server must prove that it is the host that was called, by one of the authorities that the
    /// service trusts or, with `authorities` (certificates as PEM), by one of those alone.
    ///
    /// # Errors
    /// When it does not.
    pub fn secure(self, authorities: Option<&str>) -> Result<Self, NetError> {
        let Self { io, host, label, trust } = self;
        let StreamIo::Plain(mut wire) = io else { return Ok(Self { io, host, label, trust }) };
        let chosen = authorities.map(TrustStore::from_pem).transpose()?;
        let mut client = chosen.as_ref().unwrap_or(&trust).client_connection(&host, &label)?;
        tls::shake_hands(&mut client, &mut wire, &label)?;
        Ok(Self { io: StreamIo::Tls(Box::new(StreamOwned::new(client, wire))), host, label, trust })
    }
}

impl Read for GuardedStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.io {
            StreamIo::Plain(wire) => wire.read(buffer),
            StreamIo::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for GuardedStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.io {
            StreamIo::Plain(wire) => wire.write(bytes),
            StreamIo::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.io {
            StreamIo::Plain(wire) => wire.flush(),
            StreamIo::Tls(stream) => stream.flush(),
        }
    }
}

impl fmt::Debug for GuardedStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Line")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Outgoing;
    use crate::net::test_servers::{TestAuthority, serve_echo};
    use crate::net::tls::TlsError;

    #[test]
    fn a_server_is_trusted_by_its_name_and_its_authority() {
        let authority = TestAuthority::generate();
        let port = serve_echo(authority.issue("localhost"));
        let (outgoing, cancel) = (Outgoing::new(Vec::new(), true), CancelToken::new(None));
        let open = |host| outgoing.open_stream(host, port, &cancel, Duration::from_secs(5)).unwrap();
        let mut line = open("localhost").secure(Some(&authority.pem())).unwrap();
        line.write_all(b"said in secret").unwrap();
        line.flush().unwrap();
        let mut heard = [0; 14];
        line.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"said in secret");
        for (host, authorities, fault) in [
            ("127.0.0.1", Some(authority.pem()), TlsError::OtherName),
            ("localhost", None, TlsError::UnknownAuthority),
        ] {
            let refused = open(host).secure(authorities.as_deref()).err();
            assert_eq!(refused, Some(NetError::Untrusted { place: format!("{host}:{port}"), fault }));
        }
    }
}
