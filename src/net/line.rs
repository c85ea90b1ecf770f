//! A connection for protocols that are not HTTP: to a judged address, with the same end of every wait, plain or over TLS.

use super::NetError;
use super::guard;
use super::resolve::Judged;
use super::tls::{self, Trust};
use super::transport::{CONNECT_SECONDS_MAX, patiently, reach};
use super::waiting::Waiting;
use crate::domain::cancel::Cancel;
use rustls::{ClientConnection, StreamOwned};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// One connection. Each exchange on it has a time of its own: see [`Line::exchange`].
pub struct Line {
    io: Io,
    /// The host, as it was judged.
    host: String,
    /// Host and port, as errors show them.
    label: String,
    /// Who vouches for it when the card names nobody.
    trust: Trust,
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
        (judged, trust): (&Judged, &Trust),
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
        let io = Io::Plain(Wire { stream: Arc::new(stream), waiting, end });
        Ok(Self { io, host, label, trust: trust.clone() })
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

    /// Goes on over TLS. The server must prove that it is the host that was called, by one of the authorities that the
    /// service trusts or, with `authorities` (certificates as PEM), by one of those alone.
    ///
    /// # Errors
    /// When it does not.
    pub fn secure(self, authorities: Option<&str>) -> Result<Self, NetError> {
        let Self { io, host, label, trust } = self;
        let Io::Plain(mut wire) = io else { return Ok(Self { io, host, label, trust }) };
        let chosen = authorities.map(Trust::only).transpose()?;
        let mut client = chosen.as_ref().unwrap_or(&trust).client(&host, &label)?;
        tls::shake_hands(&mut client, &mut wire, &label)?;
        Ok(Self { io: Io::Tls(Box::new(StreamOwned::new(client, wire))), host, label, trust })
    }
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
    use crate::net::servers::{Authority, echo};
    use crate::net::tls::TlsFault;

    #[test]
    fn a_server_is_trusted_by_its_name_and_its_authority() {
        let authority = Authority::new();
        let port = echo(authority.server("localhost"));
        let (outgoing, cancel) = (Outgoing::new(Vec::new(), true), Cancel::new(None));
        let open = |host| outgoing.connect(host, port, &cancel, Duration::from_secs(5)).unwrap();
        let mut line = open("localhost").secure(Some(&authority.pem())).unwrap();
        line.write_all(b"said in secret").unwrap();
        line.flush().unwrap();
        let mut heard = [0; 14];
        line.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"said in secret");
        for (host, authorities, fault) in [
            ("127.0.0.1", Some(authority.pem()), TlsFault::OtherName),
            ("localhost", None, TlsFault::UnknownAuthority),
        ] {
            let refused = open(host).secure(authorities.as_deref()).err();
            assert_eq!(refused, Some(NetError::Untrusted { place: format!("{host}:{port}"), fault }));
        }
    }
}
