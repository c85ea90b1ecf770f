//! One connection: a statement goes out with its values, and its answer comes back.

use super::packet::{FieldReader, PacketReader, put_bytes};
use super::query_result::{ResultReader, RowFormat, error_from_packet, is_end};
use super::{MySqlError, MySqlLimits, MySqlQueryResult, MySqlServer, ServerGreeting, login};
use crate::base::cancel::CancelToken;
use crate::net::{GuardedStream, Outgoing};
use std::io::Write as _;
use std::time::Duration;

const GOODBYE: Duration = Duration::from_secs(1);
/// Time to end a statement from beside.
const STOP: Duration = Duration::from_secs(2);
/// Bytes of a packet that holds no row.
const PACKET_BYTES_MAX: usize = 64 * 1024;

const QUIT: u8 = 0x01;
const QUERY: u8 = 0x03;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const FORGET: u8 = 0x19;

/// A value for a place in a statement.
#[derive(Debug, Clone, PartialEq)]
pub enum MySqlValue {
    /// No value.
    Null,
    Text(String),
    Bytes(Vec<u8>),
    Whole(i64),
    Number(f64),
    Flag(bool),
}

/// A connection that is signed in.
pub struct MySqlConnection {
    stream: GuardedStream,
    packets: PacketReader,
    password: String,
    /// Its number at the server, by which another one ends its statement.
    number: u32,
    is_mariadb: bool,
}

impl MySqlConnection {
    /// Connects and signs in.
    ///
    /// # Errors
    /// As [`MySqlError`].
    pub fn open(server: &MySqlServer, outgoing: &Outgoing, cancel: &CancelToken) -> Result<Self, MySqlError> {
        login::open(server, outgoing, cancel)
    }

    pub(super) fn new(
        line: GuardedStream,
        packets: PacketReader,
        password: String,
        greeting: &ServerGreeting,
    ) -> Self {
        let is_mariadb = greeting.version.contains("MariaDB");
        Self { stream: line, packets, password, number: greeting.connection, is_mariadb }
    }

    /// Tells the server how long a statement may take, where it knows such a thing: this side of the line ends it anyway.
    ///
    /// # Errors
    /// When the connection broke.
    pub fn limit(&mut self, bounds: &MySqlLimits, cancel: &CancelToken) -> Result<(), MySqlError> {
        let milliseconds = bounds.time.as_millis();
        let sql = if self.is_mariadb {
            format!("SET SESSION max_statement_time = {}.{:03}", milliseconds / 1000, milliseconds % 1000)
        } else {
            format!("SET SESSION max_execution_time = {milliseconds}")
        };
        match self.run(&sql, &[], bounds, cancel) {
            Err(error) if !error.is_connection_usable() => Err(error),
            _ => Ok(()),
        }
    }

    /// Runs one statement. `values` stand for its question marks.
    ///
    /// # Errors
    /// As [`MySqlError`]. After one that does not leave the connection, it cannot be used any more.
    pub fn run(
        &mut self,
        sql: &str,
        values: &[MySqlValue],
        bounds: &MySqlLimits,
        cancel: &CancelToken,
    ) -> Result<MySqlQueryResult, MySqlError> {
        self.stream.start_exchange(cancel, bounds.time);
        // Not everything can be prepared, and what has no values needs not to be.
        if values.is_empty() {
            self.command(QUERY, sql.as_bytes())?;
            return self.read_answer(RowFormat::Text, bounds);
        }
        self.command(PREPARE, sql.as_bytes())?;
        let (statement, places) = self.read_prepared()?;
        let done = if usize::from(places) == values.len() {
            self.command(EXECUTE, &encode_execute(statement, values))
                .and_then(|()| self.read_answer(RowFormat::Binary, bounds))
        } else {
            Err(MySqlError::ParameterCount(places))
        };
        if done.as_ref().err().is_none_or(MySqlError::is_connection_usable) {
            self.command(FORGET, &statement.to_le_bytes())?;
        }
        done
    }

    /// The number of a prepared statement, and how many values it has places for.
    fn read_prepared(&mut self) -> Result<(u32, u16), MySqlError> {
        let packet = self.packet(PACKET_BYTES_MAX)?;
        let mut fields = FieldReader(&packet);
        match fields.byte()? {
            0x00 => {}
            0xff => return Err(error_from_packet(&packet, &self.password)),
            _ => return Err(MySqlError::Garbled),
        }
        let (statement, columns, places) = (fields.long()?, fields.short()?, fields.short()?);
        for count in [places, columns] {
            // Descriptions of each, which the answer repeats, and what ends them.
            for _ in 0..count {
                self.packet(PACKET_BYTES_MAX)?;
            }
            if count > 0 && !is_end(&self.packet(PACKET_BYTES_MAX)?) {
                return Err(MySqlError::Garbled);
            }
        }
        Ok((statement, places))
    }

    fn read_answer(
        &mut self,
        format: RowFormat,
        bounds: &MySqlLimits,
    ) -> Result<MySqlQueryResult, MySqlError> {
        let (packets, source, password) = (&mut self.packets, &mut self.stream, self.password.as_str());
        ResultReader { packets, source, bounds, password, rows: 0, bytes: 0 }.read_all(format)
    }

    fn command(&mut self, command: u8, body: &[u8]) -> Result<(), MySqlError> {
        self.packets.begin();
        let mut packet = Vec::with_capacity(body.len() + 1);
        packet.push(command);
        packet.extend_from_slice(body);
        self.send(&packet)
    }

    pub(super) fn send(&mut self, packet: &[u8]) -> Result<(), MySqlError> {
        let framed = self.packets.frame(packet);
        self.stream.write_all(&framed)?;
        self.stream.flush()?;
        Ok(())
    }

    pub(super) fn packet(&mut self, most: usize) -> Result<Vec<u8>, MySqlError> {
        self.packets.next(&mut self.stream, most)
    }

    /// Ends the statement that this connection waits for: without it the server would go on for nobody. It takes a short
    /// time at most, and what cannot be ended is left to the server's own limit.
    pub fn cancel_statement(self, server: &MySqlServer, outgoing: &Outgoing) {
        let Self { stream: line, number, .. } = self;
        drop(line);
        let cancel = CancelToken::new(Some(STOP));
        let bounds = MySqlLimits { time: STOP, rows: 1, bytes: PACKET_BYTES_MAX };
        if let Ok(mut beside) = Self::open(server, outgoing, &cancel) {
            // One that has ended meanwhile is no fault.
            let _ = beside.run(&format!("KILL QUERY {number}"), &[], &bounds, &cancel);
            beside.close();
        }
    }

    /// Says goodbye, for which nobody waits long. What a transaction did that was not committed is undone there.
    pub fn close(mut self) {
        self.stream.start_exchange(&CancelToken::new(None), GOODBYE);
        // The server notices the end of the line as well.
        let _ = self.command(QUIT, &[]);
    }
}

/// What carries values to a prepared statement: which are none, their types, and they themselves.
fn encode_execute(statement: u32, values: &[MySqlValue]) -> Vec<u8> {
    let mut out = statement.to_le_bytes().to_vec();
    // No cursor, and once.
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    let mut nothing = vec![0_u8; values.len().div_ceil(8)];
    for (at, _) in values.iter().enumerate().filter(|(_, value)| **value == MySqlValue::Null) {
        nothing[at / 8] |= 1 << (at % 8);
    }
    out.extend_from_slice(&nothing);
    // The types follow.
    out.push(1);
    let (mut types, mut bodies) = (Vec::new(), Vec::new());
    for value in values {
        types.push(match value {
            MySqlValue::Null => 6,
            MySqlValue::Text(_) => 253,
            MySqlValue::Bytes(_) => 252,
            MySqlValue::Whole(_) => 8,
            MySqlValue::Number(_) => 5,
            MySqlValue::Flag(_) => 1,
        });
        types.push(0);
        match value {
            MySqlValue::Null => {}
            MySqlValue::Text(text) => put_bytes(&mut bodies, text.as_bytes()),
            MySqlValue::Bytes(bytes) => put_bytes(&mut bodies, bytes),
            MySqlValue::Whole(whole) => bodies.extend_from_slice(&whole.to_le_bytes()),
            MySqlValue::Number(number) => bodies.extend_from_slice(&number.to_le_bytes()),
            MySqlValue::Flag(flag) => bodies.push((*flag).into()),
        }
    }
    out.extend_from_slice(&types);
    out.extend_from_slice(&bodies);
    out
}
