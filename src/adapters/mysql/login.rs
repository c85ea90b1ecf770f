//! How a connection begins: the server's greeting, TLS where the owner wants it, and the proof of the password.

use super::connection::MySqlConnection;
use super::packet::{FieldReader, PacketReader};
use super::query_result::error_from_packet;
use super::{MySqlError, MySqlServer};
use crate::base::cancel::CancelToken;
use crate::net::Outgoing;
use sha1::{Digest as _, Sha1};
use sha2::Sha256;
use std::time::Duration;

/// Time to connect to a MySQL server and sign in (manual 14.6).
const MYSQL_SIGN_IN_SECONDS: u64 = 15;
/// Long flags, the affected rows are those that were found, a database is named, today's protocol, transactions, today's
/// passwords, several answers, and ways of signing in by name. Several statements in one text (0x1_0000) and sending
/// files (0x80) are left out on purpose.
const CAPABILITIES: u32 = 0x1 | 0x2 | 0x4 | 0x200 | 0x2000 | 0x8000 | 0x2_0000 | 0x8_0000;
const WITH_DATABASE: u32 = 0x8;
const WITH_TLS: u32 = 0x800;
/// All of Unicode, compared without regard to case.
const UTF8: u8 = 45;
/// The largest packet that is sent.
const PACKET_BYTES: u32 = 16 * 1024 * 1024;
/// Bytes of one packet while a connection begins.
const PACKET_BYTES_MAX: usize = 64 * 1024;
/// How often a server may say something before it lets a caller in.
const STEPS_MAX: usize = 8;

const NATIVE: &[u8] = b"mysql_native_password";
const CACHING: &[u8] = b"caching_sha2_password";

/// What a server says first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerGreeting {
    /// Its version, which tells the family it is of.
    pub version: String,
    /// The number of this connection there.
    pub connection: u32,
    /// What it is able to do, as bits.
    pub able: u32,
    /// What the proof of the password is made with.
    nonce: Vec<u8>,
    /// How it wants to be shown that proof.
    auth_plugin: Vec<u8>,
}

impl ServerGreeting {
    /// Reads one.
    ///
    /// # Errors
    /// [`MySqlError::Server`] when the server turns the caller away, [`MySqlError::Garbled`] when this is none.
    pub fn parse(packet: &[u8]) -> Result<Self, MySqlError> {
        let mut fields = FieldReader(packet);
        match fields.byte()? {
            10 => {}
            0xff => return Err(error_from_packet(packet, "")),
            _ => return Err(MySqlError::Garbled),
        }
        let version = String::from_utf8_lossy(fields.until_zero()).into_owned();
        let connection = fields.long()?;
        let mut nonce = fields.take(8)?.to_vec();
        fields.take(1)?;
        let low = fields.short()?;
        fields.take(3)?;
        let able = u32::from(low) | u32::from(fields.short()?) << 16;
        let length = usize::from(fields.byte()?);
        fields.take(10)?;
        let rest = fields.take(length.saturating_sub(8).max(13))?;
        // The last byte only ends it.
        nonce.extend_from_slice(&rest[..rest.len() - 1]);
        Ok(Self { version, connection, able, nonce, auth_plugin: fields.until_zero().to_vec() })
    }
}

/// Connects and signs in.
pub(super) fn open(
    server: &MySqlServer,
    outgoing: &Outgoing,
    cancel: &CancelToken,
) -> Result<MySqlConnection, MySqlError> {
    let most = Duration::from_secs(MYSQL_SIGN_IN_SECONDS);
    let mut line = outgoing.open_stream(&server.host, server.port, cancel, most)?;
    let mut packets = PacketReader::default();
    let greeting = ServerGreeting::parse(&packets.next(&mut line, PACKET_BYTES_MAX)?)?;
    let mut able = CAPABILITIES;
    if !server.database.is_empty() {
        able |= WITH_DATABASE;
    }
    if server.tls {
        able |= WITH_TLS;
        if greeting.able & WITH_TLS == 0 {
            return Err(MySqlError::NoTls);
        }
        // What came before TLS begins could be anybody's.
        if !packets.is_empty() {
            return Err(MySqlError::Garbled);
        }
        let head = packets.frame(&packet_head(able));
        std::io::Write::write_all(&mut line, &head)?;
        line = line.secure(server.authorities.as_deref())?;
    }
    let mut connection = MySqlConnection::new(line, packets, server.password.clone(), &greeting);
    // A way that is not known here is answered as the one that most servers take; they then say which they want.
    let way = if greeting.auth_plugin == CACHING { CACHING } else { NATIVE };
    let mut packet = packet_head(able);
    packet.extend_from_slice(server.user.as_bytes());
    packet.push(0);
    let proof = auth_response(way, &server.password, &greeting.nonce);
    packet.push(u8::try_from(proof.len()).unwrap_or_default());
    packet.extend_from_slice(&proof);
    if !server.database.is_empty() {
        packet.extend_from_slice(server.database.as_bytes());
        packet.push(0);
    }
    packet.extend_from_slice(way);
    packet.push(0);
    connection.send(&packet)?;
    authenticate(&mut connection, server)?;
    Ok(connection)
}

/// What every first packet of a caller begins with, and all of the one that asks for TLS.
fn packet_head(able: u32) -> Vec<u8> {
    let mut head = able.to_le_bytes().to_vec();
    head.extend_from_slice(&PACKET_BYTES.to_le_bytes());
    head.push(UTF8);
    head.extend_from_slice(&[0; 23]);
    head
}

/// Answers until the server lets the caller in.
fn authenticate(connection: &mut MySqlConnection, server: &MySqlServer) -> Result<(), MySqlError> {
    for _ in 0..STEPS_MAX {
        let packet = connection.packet(PACKET_BYTES_MAX)?;
        match packet.as_slice() {
            [0x00, ..] => return Ok(()),
            [0xff, ..] => return Err(error_from_packet(&packet, &server.password)),
            // The caching way: it remembers the password, and says that it goes on.
            [0x01, 0x03] => {}
            // It does not remember, and wants the password itself.
            [0x01, 0x04] if server.tls => {
                let mut clear = server.password.clone().into_bytes();
                clear.push(0);
                connection.send(&clear)?;
            }
            [0x01, 0x04] => return Err(MySqlError::InsecurePassword),
            [0xfe, rest @ ..] => {
                let mut fields = FieldReader(rest);
                let way = fields.until_zero();
                if way != NATIVE && way != CACHING {
                    return Err(MySqlError::NoSignIn);
                }
                let nonce = fields.0.strip_suffix(&[0]).unwrap_or(fields.0);
                connection.send(&auth_response(way, &server.password, nonce))?;
            }
            _ => return Err(MySqlError::Garbled),
        }
    }
    Err(MySqlError::Garbled)
}

/// Shows that the caller knows the password, without the password; nothing for an empty one.
fn auth_response(way: &[u8], password: &str, nonce: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    if way == CACHING {
        let once = Sha256::digest(password);
        let mixed = Sha256::new().chain_update(Sha256::digest(once)).chain_update(nonce).finalize();
        return once.iter().zip(mixed).map(|(one, other)| one ^ other).collect();
    }
    let once = Sha1::digest(password);
    let mixed = Sha1::new().chain_update(nonce).chain_update(Sha1::digest(once)).finalize();
    once.iter().zip(mixed).map(|(one, other)| one ^ other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proofs_are_those_of_the_protocols_description() {
        let nonce: Vec<u8> = (1..=20).collect();
        let hex = |bytes: Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert!(auth_response(NATIVE, "", &nonce).is_empty());
        // Computed apart from this code, by the formulas of the manual.
        assert_eq!(hex(auth_response(NATIVE, "secret", &nonce)), "b32bb3a583e1340c0a1108d58b1be49781ad8c2f");
        assert_eq!(
            hex(auth_response(CACHING, "secret", &nonce)),
            "746ebe205d56a0707acb3e796e834e0dd7b1d61743b26bd5202c7a623230c7c9"
        );
    }
}
