//! One connection: a statement goes out with its values, and its answer comes back.

use super::answer::{Format, Reading, is_end, told};
use super::packet::{Fields, Packets, put};
use super::{Answer, Bounds, Greeting, MySqlError, Server, login};
use crate::domain::cancel::Cancel;
use crate::net::{Line, Outgoing};
use std::io::Write as _;
use std::time::Duration;

/// Time to say goodbye.
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
pub enum Value {
    /// None.
    Null,
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A whole number.
    Whole(i64),
    /// Another number.
    Number(f64),
    /// True or false.
    Flag(bool),
}

/// A connection that is signed in.
pub struct Connection {
    line: Line,
    packets: Packets,
    password: String,
    /// Its number at the server, by which another one ends its statement.
    number: u32,
    is_mariadb: bool,
}

impl Connection {
    /// Connects and signs in.
    ///
    /// # Errors
    /// As [`MySqlError`].
    pub fn open(server: &Server, outgoing: &Outgoing, cancel: &Cancel) -> Result<Self, MySqlError> {
        login::open(server, outgoing, cancel)
    }

    pub(super) fn over(line: Line, packets: Packets, password: String, greeting: &Greeting) -> Self {
        let is_mariadb = greeting.version.contains("MariaDB");
        Self { line, packets, password, number: greeting.connection, is_mariadb }
    }

    /// Tells the server how long a statement may take, where it knows such a thing: this side of the line ends it anyway.
    ///
    /// # Errors
    /// When the connection broke.
    pub fn limit(&mut self, bounds: &Bounds, cancel: &Cancel) -> Result<(), MySqlError> {
        let milliseconds = bounds.time.as_millis();
        let sql = if self.is_mariadb {
            format!("SET SESSION max_statement_time = {}.{:03}", milliseconds / 1000, milliseconds % 1000)
        } else {
            format!("SET SESSION max_execution_time = {milliseconds}")
        };
        match self.run(&sql, &[], bounds, cancel) {
            Err(error) if !error.leaves_connection() => Err(error),
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
        values: &[Value],
        bounds: &Bounds,
        cancel: &Cancel,
    ) -> Result<Answer, MySqlError> {
        self.line.exchange(cancel, bounds.time);
        // Not everything can be prepared, and what has no values needs not to be.
        if values.is_empty() {
            self.command(QUERY, sql.as_bytes())?;
            return self.answer(Format::Text, bounds);
        }
        self.command(PREPARE, sql.as_bytes())?;
        let (statement, places) = self.prepared()?;
        let done = if usize::from(places) == values.len() {
            self.command(EXECUTE, &execution(statement, values))
                .and_then(|()| self.answer(Format::Binary, bounds))
        } else {
            Err(MySqlError::Places(places))
        };
        if done.as_ref().err().is_none_or(MySqlError::leaves_connection) {
            self.command(FORGET, &statement.to_le_bytes())?;
        }
        done
    }

    /// The number of a prepared statement, and how many values it has places for.
    fn prepared(&mut self) -> Result<(u32, u16), MySqlError> {
        let packet = self.packet(PACKET_BYTES_MAX)?;
        let mut fields = Fields(&packet);
        match fields.byte()? {
            0x00 => {}
            0xff => return Err(told(&packet, &self.password)),
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

    fn answer(&mut self, format: Format, bounds: &Bounds) -> Result<Answer, MySqlError> {
        let (packets, source, password) = (&mut self.packets, &mut self.line, self.password.as_str());
        Reading { packets, source, bounds, password, rows: 0, bytes: 0 }.all(format)
    }

    fn command(&mut self, command: u8, body: &[u8]) -> Result<(), MySqlError> {
        self.packets.begin();
        let mut packet = Vec::with_capacity(body.len() + 1);
        packet.push(command);
        packet.extend_from_slice(body);
        self.send(&packet)
    }

    pub(super) fn send(&mut self, packet: &[u8]) -> Result<(), MySqlError> {
        let framed = self.packets.framed(packet);
        self.line.write_all(&framed)?;
        self.line.flush()?;
        Ok(())
    }

    pub(super) fn packet(&mut self, most: usize) -> Result<Vec<u8>, MySqlError> {
        self.packets.next(&mut self.line, most)
    }

    /// Ends the statement that this connection waits for: without it the server would go on for nobody. It takes a short
    /// time at most, and what cannot be ended is left to the server's own limit.
    pub fn stop(self, server: &Server, outgoing: &Outgoing) {
        let Self { line, number, .. } = self;
        drop(line);
        let cancel = Cancel::new(Some(STOP));
        let bounds = Bounds { time: STOP, rows: 1, bytes: PACKET_BYTES_MAX };
        if let Ok(mut beside) = Self::open(server, outgoing, &cancel) {
            // One that has ended meanwhile is no fault.
            let _ = beside.run(&format!("KILL QUERY {number}"), &[], &bounds, &cancel);
            beside.close();
        }
    }

    /// Says goodbye, for which nobody waits long. What a transaction did that was not committed is undone there.
    pub fn close(mut self) {
        self.line.exchange(&Cancel::new(None), GOODBYE);
        // The server notices the end of the line as well.
        let _ = self.command(QUIT, &[]);
    }
}

/// What carries values to a prepared statement: which are none, their types, and they themselves.
fn execution(statement: u32, values: &[Value]) -> Vec<u8> {
    let mut out = statement.to_le_bytes().to_vec();
    // No cursor, and once.
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    let mut nothing = vec![0_u8; values.len().div_ceil(8)];
    for (at, _) in values.iter().enumerate().filter(|(_, value)| **value == Value::Null) {
        nothing[at / 8] |= 1 << (at % 8);
    }
    out.extend_from_slice(&nothing);
    // The types follow.
    out.push(1);
    let (mut types, mut bodies) = (Vec::new(), Vec::new());
    for value in values {
        types.push(match value {
            Value::Null => 6,
            Value::Text(_) => 253,
            Value::Bytes(_) => 252,
            Value::Whole(_) => 8,
            Value::Number(_) => 5,
            Value::Flag(_) => 1,
        });
        types.push(0);
        match value {
            Value::Null => {}
            Value::Text(text) => put(&mut bodies, text.as_bytes()),
            Value::Bytes(bytes) => put(&mut bodies, bytes),
            Value::Whole(whole) => bodies.extend_from_slice(&whole.to_le_bytes()),
            Value::Number(number) => bodies.extend_from_slice(&number.to_le_bytes()),
            Value::Flag(flag) => bodies.push((*flag).into()),
        }
    }
    out.extend_from_slice(&types);
    out.extend_from_slice(&bodies);
    out
}
