//! Connections that a cancelled run ends at once.
//!
//! The chain is: [`Dialer`] connects to a judged address or to the operator's proxy, [`super::tls::TlsConnector`] adds TLS,
//! [`super::buffered_transport`] gives TLS connections the small, growing buffers that plain ones have by themselves.

use super::buffers::BufferLease;
use super::tunnel::{self, AbsoluteForm};
use super::wait_limits::{self, Readiness, WaitLimits};
use super::{NetError, guard, resolve};
use crate::settings::{Proxies, Proxy};
use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// How long making a connection may take, all addresses and TLS included (manual 12.5).
pub(super) const CONNECT_SECONDS_MAX: u64 = 5;
/// Bytes that are held back at the most.
const UNSENT_BYTES_MAX: usize = 16 * 1024;
/// How long an answer is waited for where a request could not be sent as a whole: whoever closes has answered before.
const EARLY_ANSWER_SECONDS_MAX: u64 = 2;
/// A connect needs hardly any stack.
const DIAL_STACK_BYTES: usize = 64 * 1024;

impl From<NetError> for Error {
    fn from(error: NetError) -> Self {
        Self::Other(Box::new(error))
    }
}

/// Connects to the addresses the resolver judged, or to the proxy of the operator for them, and to no others.
pub(super) struct Dialer(pub(super) Arc<Proxies>);

impl fmt::Debug for Dialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dialer")
    }
}

impl Connector for Dialer {
    type Out = Socket;

    fn connect(&self, details: &ConnectionDetails<'_>, _: Option<()>) -> Result<Option<Socket>, Error> {
        let waiting = WaitLimits::current()?;
        let most = Duration::from_secs(CONNECT_SECONDS_MAX).min(*details.timeout.after);
        wait_limits::note_connected();
        let (https, host) = (details.needs_tls(), guard::bare_host(details.uri));
        let port = details.uri.port_u16().unwrap_or(if https { 443 } else { 80 });
        let addresses: Vec<IpAddr> = details.addrs.iter().map(SocketAddr::ip).collect();
        if let Some(proxy) = self.0.proxy_for(https, host, port, &addresses) {
            return Ok(Some(connect_through_proxy(
                proxy,
                https,
                &guard::label(details.uri),
                &waiting,
                most,
            )?));
        }
        match connect_any(&waiting, &details.addrs, most)? {
            Some(stream) => Ok(Some(Socket::new(Arc::new(stream), None))),
            None => Err(NetError::Unreachable(guard::label(details.uri)).into()),
        }
    }
}

/// A connection to `target` (host and port) through a proxy, which the operator named and nobody judges.
fn connect_through_proxy(
    proxy: &Proxy,
    https: bool,
    target: &str,
    waiting: &WaitLimits,
    most: Duration,
) -> Result<Socket, NetError> {
    let begun = Instant::now();
    let away = || NetError::Proxy(format!("no connection to {}:{}", proxy.host, proxy.port));
    let addresses = match proxy.host.parse::<IpAddr>() {
        Ok(address) => vec![SocketAddr::new(address, proxy.port)],
        Err(_) => resolve::look_up(&proxy.host, proxy.port).map_err(|error| match error {
            NetError::Unreachable(_) => away(),
            other => other,
        })?,
    };
    let stream = Arc::new(connect_any(waiting, &addresses, most)?.ok_or_else(away)?);
    if !https {
        return Ok(Socket::new(stream, Some(AbsoluteForm::new(target, proxy))));
    }
    // The proxy connects only now, which takes a time of its own.
    tunnel::open_tunnel(&stream, proxy, target, waiting, most.saturating_sub(begun.elapsed()) + most)?;
    Ok(Socket::new(stream, None))
}

/// A connection to the first of these judged addresses that can be reached; `None` when none can.
pub(super) fn connect_any(
    waiting: &WaitLimits,
    addresses: &[SocketAddr],
    most: Duration,
) -> Result<Option<TcpStream>, NetError> {
    let end = waiting.deadline(most);
    for (tried, address) in addresses.iter().enumerate() {
        let left = end.saturating_duration_since(Instant::now());
        let last = tried + 1 == addresses.len();
        // An address that does not answer must leave time for the next one.
        let share = if last { left } else { left / 2 };
        if share.is_zero() {
            break;
        }
        if let Some(stream) = dial(waiting, *address, share)? {
            return Ok(Some(stream));
        }
    }
    Ok(None)
}

/// `None` when this address cannot be reached and another may.
fn dial(waiting: &WaitLimits, address: SocketAddr, most: Duration) -> Result<Option<TcpStream>, NetError> {
    let connect = move || TcpStream::connect_timeout(&address, most);
    match waiting.run_abandonable(most + Duration::from_millis(50), DIAL_STACK_BYTES, connect) {
        Ok(Ok(stream)) => {
            // Tokens are small: each is to be sent when it is written.
            let _ = stream.set_nodelay(true);
            Ok(Some(stream))
        }
        Ok(Err(_)) => Ok(None),
        Err(error) => match waiting.end_reason() {
            Some(ended) => Err(ended),
            None if error == NetError::TimedOut => Ok(None),
            None => Err(error),
        },
    }
}

/// One TCP connection. While a thread blocks on it, the run's token holds a hook that shuts it down.
///
/// What is written is held back until an answer is waited for, or until it is much: ureq writes head and body of a
/// request one after the other, and two small packets would wake the other side twice.
pub(super) struct Socket {
    stream: Arc<TcpStream>,
    /// What each request says to a proxy that passes it on.
    absolute_form: Option<AbsoluteForm>,
    /// What is sent next begins a request.
    is_at_start: bool,
    buffers: BufferLease,
    unsent: Vec<u8>,
    sending: Sending,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
    /// Was read without waiting once, and stays so: who waits asks the system to.
    is_nonblocking: bool,
    /// Nothing is there that was not read, until there is news.
    drained: bool,
}

/// Whether the other side still takes what is sent.
#[derive(Debug)]
enum Sending {
    Open,
    /// It does not, for this reason, and may have said why before it closed.
    Failed(NetError),
    /// It does not, and what it said is being read.
    Answered,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitFor {
    Input,
    Room,
}

/// What a timed system call is to be called with, given what the socket is set to now: a timeout that is a little
/// short saves setting it anew, as the caller looks at its clock and goes on.
fn timeout_for(left: Duration, set: Option<Duration>) -> Option<Duration> {
    match set {
        Some(set) if set <= left && set * 2 >= left => None,
        _ => Some(left),
    }
}

const fn is_time_out(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

impl Socket {
    fn new(stream: Arc<TcpStream>, absolute_form: Option<AbsoluteForm>) -> Self {
        Self {
            stream,
            absolute_form,
            is_at_start: true,
            buffers: BufferLease::default(),
            unsent: Vec::new(),
            sending: Sending::Open,
            read_timeout: None,
            write_timeout: None,
            is_nonblocking: false,
            drained: false,
        }
    }

    /// Sends what was held back, and gives its memory back: a stream that only reads keeps none for writing. A host that refuses a
    /// long request answers and closes before it has read it: what it does not take is dropped, and its answer is looked for.
    fn send(&mut self, timeout: NextTimeout) -> Result<(), Error> {
        let mut unsent = std::mem::take(&mut self.unsent);
        if !matches!(self.sending, Sending::Open) {
            return Ok(());
        }
        if let (Some(absolute_form), true, false) = (&self.absolute_form, self.is_at_start, unsent.is_empty())
        {
            match absolute_form.rewrite(&unsent) {
                Some(whole) => unsent = whole,
                // Its first line is still being written.
                None => {
                    self.unsent = unsent;
                    return Ok(());
                }
            }
        }
        self.is_at_start &= unsent.is_empty();
        if let Err(fault) = self.write_all(&unsent, *timeout.after) {
            if let Some(ended) = WaitLimits::current()?.end_reason() {
                return Err(ended.into());
            }
            wait_limits::note_cut();
            self.sending = Sending::Failed(fault);
        }
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8], most: Duration) -> Result<(), NetError> {
        let mut sent = 0;
        while sent < bytes.len() {
            sent += self.wait(most, WaitFor::Room, |socket, left| {
                if let Some(set) = timeout_for(left, socket.write_timeout) {
                    socket.stream.set_write_timeout(Some(set))?;
                    socket.write_timeout = Some(set);
                }
                match (&*socket.stream).write(&bytes[sent..])? {
                    0 => Err(ErrorKind::BrokenPipe.into()),
                    written => Ok(written),
                }
            })?;
        }
        Ok(())
    }

    /// Reads what arrives. Where not all could be sent, silence is no answer, and what kept it from being sent is the fault.
    fn read_waiting(&mut self, most: Duration) -> Result<usize, NetError> {
        let most = match self.sending {
            Sending::Failed(_) => most.min(Duration::from_secs(EARLY_ANSWER_SECONDS_MAX)),
            Sending::Open | Sending::Answered => most,
        };
        let read = self.wait(most, WaitFor::Input, |socket, left| {
            if let Some(set) = timeout_for(left, socket.read_timeout) {
                socket.stream.set_read_timeout(Some(set))?;
                socket.read_timeout = Some(set);
            }
            (&*socket.stream).read(socket.buffers.input_append_buf())
        });
        match (&self.sending, read) {
            (Sending::Failed(_), Ok(amount @ 1..)) => {
                self.sending = Sending::Answered;
                Ok(amount)
            }
            (Sending::Failed(fault), Ok(0) | Err(_)) => {
                Err(WaitLimits::current()?.end_reason().unwrap_or_else(|| fault.clone()))
            }
            (Sending::Open | Sending::Answered, read) => read,
        }
    }

    /// Repeats `step` until it gives a result, the time is over, or the run ends. `step` gets the time left.
    fn wait<T>(
        &mut self,
        most: Duration,
        awaited: WaitFor,
        mut step: impl FnMut(&mut Self, Duration) -> std::io::Result<T>,
    ) -> Result<T, NetError> {
        let waiting = WaitLimits::current()?;
        let end = waiting.deadline(most);
        let stream = self.stream.clone();
        retry_until(&stream, &waiting, end, |left| {
            if self.is_nonblocking {
                await_ready(&stream, awaited, left)?;
            }
            step(self, left)
        })
    }

    /// Reads what is there. Finding nothing is `WouldBlock` as the system has it: wrapped in an error of ours, ureq and TLS
    /// would take it for the end of the connection.
    fn read_at_once(&mut self, readiness: Readiness) -> Result<bool, Error> {
        if !self.is_nonblocking {
            self.stream.set_nonblocking(true)?;
            self.is_nonblocking = true;
        }
        if readiness == Readiness::News {
            self.drained = false;
        }
        if self.drained {
            wait_limits::note_drained(true);
            return Err(Error::Io(ErrorKind::WouldBlock.into()));
        }
        loop {
            let room = self.buffers.input_append_buf();
            let most = room.len();
            match (&*self.stream).read(room) {
                Ok(amount) => {
                    // A read that did not fill its room has found all there was. The end is found again by the next one.
                    self.drained = amount > 0 && amount < most;
                    self.is_at_start |= amount > 0;
                    wait_limits::note_drained(self.drained);
                    self.buffers.input_appended(amount);
                    return Ok(amount > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.drained = true;
                    wait_limits::note_drained(true);
                    return Err(Error::Io(error));
                }
                Err(error) => return Err(broken_error(&error).into()),
            }
        }
    }
}

/// Waits until a connection that does not block is ready.
#[cfg(unix)]
fn await_ready(stream: &TcpStream, awaited: WaitFor, left: Duration) -> std::io::Result<()> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let flags = match awaited {
        WaitFor::Input => PollFlags::IN,
        WaitFor::Room => PollFlags::OUT,
    };
    let time = Timespec {
        tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(stream, flags)], Some(&time))? {
        0 => Err(ErrorKind::TimedOut.into()),
        _ => Ok(()),
    }
}

/// Elsewhere no connection is read without waiting.
#[cfg(not(unix))]
fn await_ready(_: &TcpStream, _: WaitFor, _: Duration) -> std::io::Result<()> {
    Ok(())
}

/// Repeats `step`, which blocks on the connection, until it gives a result, the time is over, or the run ends: then the
/// connection is shut down. `step` gets the time left.
pub(super) fn retry_until<T>(
    stream: &Arc<TcpStream>,
    waiting: &WaitLimits,
    end: Instant,
    mut step: impl FnMut(Duration) -> std::io::Result<T>,
) -> Result<T, NetError> {
    let closed = stream.clone();
    let _hook = waiting.cancel.on_cancel(move || {
        // It fails only when the connection is closed already.
        let _ = closed.shutdown(Shutdown::Both);
    });
    loop {
        if let Some(error) = waiting.end_reason() {
            return Err(error);
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(NetError::TimedOut);
        }
        match step(left) {
            // A shut down socket reads as ended: that must not pass for the end of a body.
            Ok(value) => return waiting.end_reason().map_or(Ok(value), Err),
            Err(error) if is_time_out(error.kind()) => {}
            Err(error) => return Err(waiting.end_reason().unwrap_or_else(|| broken_error(&error))),
        }
    }
}

fn broken_error(error: &std::io::Error) -> NetError {
    NetError::Broken(match error.kind() {
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
            "the other side closed the connection".into()
        }
        _ => "the connection broke".into(),
    })
}

impl Transport for Socket {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.unsent.extend_from_slice(&self.buffers.output()[..amount]);
        if self.unsent.len() < UNSENT_BYTES_MAX { Ok(()) } else { self.send(timeout) }
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.send(timeout)?;
        if let Some(readiness) = wait_limits::readiness() {
            return self.read_at_once(readiness);
        }
        wait_limits::note_connection(&self.stream);
        let amount = self.read_waiting(*timeout.after)?;
        if amount > 0 {
            wait_limits::note_received();
            self.is_at_start = true;
        }
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        // Asked before a connection goes idle and before it is used again: between the two it needs no memory.
        self.buffers.release();
        // Half a request lies on the way to the other side: another one would be read as its rest.
        matches!(self.sending, Sending::Open) && is_quiet(&self.stream)
    }
}

/// True when the connection is open and nothing waits to be read: anything there is, the end included, means that it cannot
/// carry another request.
#[cfg(unix)]
fn is_quiet(stream: &TcpStream) -> bool {
    use rustix::net::{RecvFlags, recv};
    let seen = recv(stream, &mut [0u8], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    matches!(seen, Err(rustix::io::Errno::AGAIN))
}

/// The same where one call cannot ask for it.
#[cfg(not(unix))]
fn is_quiet(stream: &TcpStream) -> bool {
    if stream.set_nonblocking(true).is_err() {
        return false;
    }
    let quiet = matches!(stream.peek(&mut [0]), Err(error) if error.kind() == ErrorKind::WouldBlock);
    quiet && stream.set_nonblocking(false).is_ok()
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Socket")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_set_anew_only_when_it_would_be_late_or_much_too_early() {
        let ms = Duration::from_millis;
        assert_eq!(timeout_for(ms(100), None), Some(ms(100)));
        assert_eq!(timeout_for(ms(100), Some(ms(101))), Some(ms(100)));
        assert_eq!(timeout_for(ms(100), Some(ms(100))), None);
        assert_eq!(timeout_for(ms(100), Some(ms(60))), None);
        assert_eq!(timeout_for(ms(100), Some(ms(40))), Some(ms(100)));
    }
}
