//! TLS for every connection of the service: which authorities vouch for servers, and why a server is not trusted.

use super::NetError;
use super::guard;
use rustls::client::WebPkiServerVerifier;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, ClientConnection, PeerIncompatible, RootCertStore,
    StreamOwned,
};
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use ureq::Error;
use ureq::unversioned::transport::time::Instant;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

/// Certificates of authorities that are read from one text.
const AUTHORITIES_MAX: usize = 1_000;

/// Why a server is not trusted, or does not speak TLS as it is spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// No authority that is known here signed the certificate.
    #[error(
        "its certificate is signed by an authority that this server does not know; name the authority's certificate in \
         SERVICE_CA_FILE"
    )]
    UnknownAuthority,
    /// The certificate is one of an authority, which is no server.
    #[error(
        "its certificate is that of an authority and not of a server; give it one of its own, and name the authority's in \
         SERVICE_CA_FILE"
    )]
    IsAuthority,
    #[error("its certificate has expired")]
    Expired,
    /// The certificate is not valid yet.
    #[error("its certificate is not valid yet; check the clocks of both sides")]
    NotYetValid,
    /// The certificate is for another name.
    #[error("its certificate is for another name than the one in the address")]
    OtherName,
    #[error("its certificate was revoked")]
    Revoked,
    /// The certificate cannot be read, or is made for something else.
    #[error("its certificate cannot be used")]
    BadCertificate,
    /// The two sides share no version of TLS.
    #[error("it refuses the versions of TLS that are spoken here, 1.2 and 1.3")]
    Version,
    /// They share a version and no way to encrypt.
    #[error("it shares no way to encrypt with this server")]
    Encryption,
    /// The server wants a certificate of the client.
    #[error("it wants a certificate of its clients, and there is none to show")]
    WantsCertificate,
    /// The server knows no host of this name.
    #[error("it knows no host of the name in the address")]
    UnknownName,
    /// What answers does not speak TLS.
    #[error("what answers there does not speak TLS; http:// may be meant, or another port")]
    NotTls,
    /// The server ended the connection before it was secure.
    #[error("the other side closed the connection before it was secure")]
    Closed,
    #[error("the two sides could not agree")]
    Other,
}

impl TlsError {
    fn from_rustls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(fault) => Self::from_certificate_error(fault),
            rustls::Error::AlertReceived(alert) => match alert {
                AlertDescription::ProtocolVersion => Self::Version,
                AlertDescription::HandshakeFailure | AlertDescription::InsufficientSecurity => {
                    Self::Encryption
                }
                AlertDescription::CertificateRequired | AlertDescription::NoCertificate => {
                    Self::WantsCertificate
                }
                AlertDescription::UnrecognisedName => Self::UnknownName,
                AlertDescription::CloseNotify | AlertDescription::UserCanceled => Self::Closed,
                _ => Self::Other,
            },
            rustls::Error::PeerIncompatible(fault) => match fault {
                PeerIncompatible::ServerDoesNotSupportTls12Or13
                | PeerIncompatible::ServerTlsVersionIsDisabledByOurConfig
                | PeerIncompatible::Tls12NotOffered => Self::Version,
                _ => Self::Encryption,
            },
            rustls::Error::InvalidMessage(_) | rustls::Error::InappropriateMessage { .. } => Self::NotTls,
            _ => Self::Other,
        }
    }

    fn from_certificate_error(fault: &CertificateError) -> Self {
        match fault {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => Self::UnknownAuthority,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotYetValid,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::OtherName
            }
            CertificateError::Revoked => Self::Revoked,
            // The library tells this one apart in its text only.
            CertificateError::Other(other) if format!("{other:?}").contains("CaUsedAsEndEntity") => {
                Self::IsAuthority
            }
            _ => Self::BadCertificate,
        }
    }

    /// What an error of a connection that is not secure yet means; `None` for one of this room's own.
    fn from_io(error: &io::Error) -> Option<Self> {
        let inner = error.get_ref();
        if inner.is_some_and(|inner| inner.is::<NetError>()) {
            return None;
        }
        if let Some(known) = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            return Some(Self::from_rustls(known));
        }
        // Some errors of ureq travel inside one of the system's.
        if let Some(ureq::Error::Other(other)) = inner.and_then(|inner| inner.downcast_ref::<ureq::Error>()) {
            return if other.is::<NetError>() { None } else { Some(Self::Other) };
        }
        Some(match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Other,
        })
    }
}

/// The authorities that vouch for servers.
#[derive(Clone)]
pub struct TrustStore(Arc<ClientConfig>);

impl Default for TrustStore {
    /// The authorities that are trusted everywhere.
    fn default() -> Self {
        static BUILT_IN: LazyLock<TrustStore> = LazyLock::new(|| TrustStore::from_roots(built_in()));
        BUILT_IN.clone()
    }
}

impl fmt::Debug for TrustStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Trust")
    }
}

fn built_in() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// Why the certificates of authorities cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuthoritiesError(String);

impl TrustStore {
    fn from_roots(roots: RootCertStore) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .expect("the provider knows both versions of TLS");
        let config = match WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build() {
            Ok(verifier) => config.with_webpki_verifier(verifier),
            // It fails where there is no root at all: then nobody is trusted.
            Err(_) => config.with_root_certificates(RootCertStore::empty()),
        };
        Self(Arc::new(config.with_no_client_auth()))
    }

    /// The authorities that are trusted everywhere, and those of this file.
    ///
    /// # Errors
    /// When the file cannot be read, or holds anything but certificates as PEM.
    pub fn with_file(path: &Path) -> Result<Self, AuthoritiesError> {
        let named = || format!("SERVICE_CA_FILE is {}", path.display());
        let text = std::fs::read(path)
            .map_err(|error| AuthoritiesError(format!("{}, which cannot be read: {error}", named())))?;
        let mut roots = built_in();
        add(&mut roots, &text).map_err(|()| {
            AuthoritiesError(format!(
                "{}, which is no list of certificates; give a file in PEM form",
                named()
            ))
        })?;
        Ok(Self::from_roots(roots))
    }

    /// The authorities of this text and no others.
    pub(super) fn from_pem(text: &str) -> Result<Self, NetError> {
        let mut roots = RootCertStore::empty();
        add(&mut roots, text.as_bytes())
            .map_err(|()| NetError::BadAddress("the certificate of the authority cannot be read".into()))?;
        Ok(Self::from_roots(roots))
    }

    /// A connection to be made secure with the server of this name.
    pub(super) fn client_connection(&self, host: &str, label: &str) -> Result<ClientConnection, NetError> {
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| untrusted_error(label, TlsError::OtherName))?;
        ClientConnection::new(self.0.clone(), name)
            .map_err(|error| untrusted_error(label, TlsError::from_rustls(&error)))
    }
}

fn add(roots: &mut RootCertStore, text: &[u8]) -> Result<(), ()> {
    let before = roots.len();
    for certificate in CertificateDer::pem_slice_iter(text).take(AUTHORITIES_MAX) {
        roots.add(certificate.map_err(|_| ())?).map_err(|_| ())?;
    }
    if roots.len() > before { Ok(()) } else { Err(()) }
}

fn untrusted_error(label: &str, fault: TlsError) -> NetError {
    NetError::Untrusted { place: label.to_owned(), fault }
}

/// Goes through the handshake.
///
/// # Errors
/// Why the other side is not trusted, or what ended the wait.
pub(super) fn shake_hands(
    client: &mut ClientConnection,
    wire: &mut (impl Read + Write),
    label: &str,
) -> Result<(), NetError> {
    while client.is_handshaking() {
        if let Err(error) = client.complete_io(wire) {
            return Err(match TlsError::from_io(&error) {
                Some(fault) => untrusted_error(label, fault),
                None => match NetError::from(error) {
                    NetError::Broken(_) => untrusted_error(label, TlsError::Closed),
                    ended => ended,
                },
            });
        }
    }
    Ok(())
}

/// Adds TLS to connections that are to have it, as ureq's own connector does, with the authorities of the operator.
#[derive(Debug)]
pub(super) struct TlsConnector(pub(super) TrustStore);

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsTransport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        inner: Option<In>,
    ) -> Result<Option<Self::Out>, Error> {
        let Some(inner) = inner else { return Ok(None) };
        if !details.needs_tls() || inner.is_tls() {
            return Ok(Some(Either::A(inner)));
        }
        let label = guard::label(details.uri);
        let host = guard::bare_host(details.uri);
        let mut client = self.0.client_connection(host, &label)?;
        let mut wire = TransportAdapter::new(inner.boxed(), details.current_time.clone());
        wire.set_timeout(time_left(details));
        shake_hands(&mut client, &mut wire, &label)?;
        let buffers =
            LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { stream: StreamOwned::new(client, wire), buffers, label })))
    }
}

fn time_left(details: &ConnectionDetails<'_>) -> NextTimeout {
    let spent = match ((details.current_time)(), details.now) {
        (Instant::Exact(now), Instant::Exact(begun)) => now.saturating_duration_since(begun),
        _ => Duration::ZERO,
    };
    NextTimeout { after: details.timeout.after.saturating_sub(spent).into(), ..details.timeout }
}

/// A connection over TLS.
pub(super) struct TlsTransport {
    stream: StreamOwned<ClientConnection, TransportAdapter>,
    buffers: LazyBuffers,
    label: String,
}

impl TlsTransport {
    /// With TLS 1.3 a server says only after the handshake that it wants a certificate.
    fn explain(&self, error: io::Error) -> Error {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(known) => untrusted_error(&self.label, TlsError::from_rustls(known)).into(),
            None => error.into(),
        }
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        let written = self.stream.write_all(&self.buffers.output()[..amount]);
        written.map_err(|error| self.explain(error))
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let read = self.stream.read(self.buffers.input_append_buf());
        let amount = read.map_err(|error| self.explain(error))?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secured")
    }
}
