//! How a connection begins: TLS where the owner wants it, and the proof that both sides know the password.

use super::connection::PgConnection;
use super::{PgError, PgServer, PgTls};
use crate::base::cancel::CancelToken;
use crate::net::{GuardedStream, Outgoing};
use bytes::BytesMut;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Message};
use postgres_protocol::message::frontend;
use std::io::{Read as _, Write as _};
use std::time::Duration;

/// Time to connect to a PostgreSQL server and sign in (manual 14.6).
const POSTGRES_SIGN_IN_SECONDS: u64 = 15;

/// Connects and signs in. `options` says that the server is told about the time of statements.
pub(super) fn open(
    server: &PgServer,
    outgoing: &Outgoing,
    cancel: &CancelToken,
    options: bool,
) -> Result<PgConnection, PgError> {
    let most = Duration::from_secs(POSTGRES_SIGN_IN_SECONDS);
    let line = open_stream(server, outgoing, cancel, most)?;
    let password = server.password.clone();
    let mut connection =
        PgConnection { stream: line, read: BytesMut::new(), time: server.time, password, key: None };
    let time = format!("-c statement_timeout={}", server.time.as_millis());
    let mut parameters = vec![
        ("user", server.user.as_str()),
        ("database", &server.database),
        ("application_name", &server.application),
        ("client_encoding", "UTF8"),
    ];
    if options {
        parameters.push(("options", &time));
    }
    let mut out = BytesMut::new();
    frontend::startup_message(parameters, &mut out)?;
    connection.send(&out)?;
    sign_in(&mut connection, server)?;
    loop {
        match connection.next()? {
            Message::BackendKeyData(key) => connection.key = Some((key.process_id(), key.secret_key())),
            Message::ReadyForQuery(_) => return Ok(connection),
            Message::ErrorResponse(error) => return Err(connection.error_from_server(&error)),
            _ => return Err(PgError::Garbled),
        }
    }
}

/// Connects, over TLS where the owner wants it.
pub(super) fn open_stream(
    server: &PgServer,
    outgoing: &Outgoing,
    cancel: &CancelToken,
    most: Duration,
) -> Result<GuardedStream, PgError> {
    let line = outgoing.open_stream(&server.host, server.port, cancel, most)?;
    Ok(match &server.tls {
        PgTls::Off => line,
        PgTls::Public => begin_tls(line)?.secure(None)?,
        PgTls::WithAuthorities(authorities) => begin_tls(line)?.secure(Some(authorities))?,
    })
}

fn begin_tls(mut line: GuardedStream) -> Result<GuardedStream, PgError> {
    let mut out = BytesMut::new();
    frontend::ssl_request(&mut out);
    line.write_all(&out)?;
    let mut answer = [0];
    // One byte and no more: what comes after it belongs to TLS.
    line.read_exact(&mut answer)?;
    match &answer {
        b"S" => Ok(line),
        b"N" => Err(PgError::NoTls),
        _ => Err(PgError::Garbled),
    }
}

fn sign_in(connection: &mut PgConnection, server: &PgServer) -> Result<(), PgError> {
    let password = server.password.as_bytes();
    loop {
        let mut out = BytesMut::new();
        match connection.next()? {
            Message::AuthenticationOk => return Ok(()),
            Message::AuthenticationCleartextPassword if server.tls == PgTls::Off => {
                return Err(PgError::InsecurePassword);
            }
            Message::AuthenticationCleartextPassword => frontend::password_message(password, &mut out)?,
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(server.user.as_bytes(), password, body.salt());
                frontend::password_message(hash.as_bytes(), &mut out)?;
            }
            Message::AuthenticationSasl(body) => {
                prove(connection, &body, password)?;
                continue;
            }
            Message::ErrorResponse(error) => return Err(connection.error_from_server(&error)),
            Message::AuthenticationGss
            | Message::AuthenticationSspi
            | Message::AuthenticationKerberosV5
            | Message::AuthenticationScmCredential => return Err(PgError::NoSignIn),
            _ => return Err(PgError::Garbled),
        }
        connection.send(&out)?;
    }
}

/// Proves to know the password without saying it, and lets the server prove the same.
fn prove(
    connection: &mut PgConnection,
    offer: &AuthenticationSaslBody,
    password: &[u8],
) -> Result<(), PgError> {
    use fallible_iterator::FallibleIterator as _;
    if !offer.mechanisms().any(|name| Ok(name == SCRAM_SHA_256))? {
        return Err(PgError::NoSignIn);
    }
    let mut scram = ScramSha256::new(password, ChannelBinding::unsupported());
    let mut out = BytesMut::new();
    frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), &mut out)?;
    connection.send(&out)?;
    match connection.next()? {
        Message::AuthenticationSaslContinue(body) => {
            scram.update(body.data()).map_err(|_| PgError::Garbled)?;
        }
        Message::ErrorResponse(error) => return Err(connection.error_from_server(&error)),
        _ => return Err(PgError::Garbled),
    }
    out.clear();
    frontend::sasl_response(scram.message(), &mut out)?;
    connection.send(&out)?;
    match connection.next()? {
        Message::AuthenticationSaslFinal(body) => {
            scram.finish(body.data()).map_err(|_| PgError::NotTheServer)
        }
        Message::ErrorResponse(error) => Err(connection.error_from_server(&error)),
        _ => Err(PgError::Garbled),
    }
}
