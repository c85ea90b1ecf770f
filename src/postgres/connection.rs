//! One connection: statements go out with their parameters, rows come back as texts.

use super::{PgError, Server, login};
use crate::domain::cancel::Cancel;
use crate::limits;
use crate::net::{Line, NetError, Outgoing};
use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{DataRowBody, ErrorResponseBody, Header, Message};
use postgres_protocol::message::frontend;
use std::io::{Read as _, Write as _};
use std::time::Duration;

/// What is read from the line at once.
const READ_BYTES: usize = 16 * 1024;
/// Time to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

/// A row: each column as the server writes it.
pub type Row = Vec<Option<String>>;

/// A connection that is signed in.
pub struct Connection {
    pub(super) line: Line,
    pub(super) read: BytesMut,
    pub(super) time: Duration,
    pub(super) password: String,
}

impl Connection {
    /// Connects and signs in.
    ///
    /// # Errors
    /// As [`PgError`].
    pub fn open(server: &Server, outgoing: &Outgoing, cancel: &Cancel) -> Result<Self, PgError> {
        match login::open(server, outgoing, cancel, true) {
            // Poolers take no options; the watch on this side of the line holds without them.
            Err(error) if error.is("08P01") => login::open(server, outgoing, cancel, false),
            opened => opened,
        }
    }

    /// Runs one statement. `parameters` stand for `$1`, `$2` and so on.
    ///
    /// # Errors
    /// As [`PgError`]. After one that the server did not tell itself, the connection cannot be used any more.
    pub fn run(&mut self, sql: &str, parameters: &[&str], cancel: &Cancel) -> Result<Vec<Row>, PgError> {
        self.line.exchange(cancel, self.time);
        let mut out = BytesMut::new();
        frontend::parse("", sql, [], &mut out)?;
        let write = |value: &&str, out: &mut BytesMut| {
            out.extend_from_slice(value.as_bytes());
            Ok(IsNull::No)
        };
        // Parameters and columns are texts, which every type has.
        if frontend::bind("", "", [], parameters, write, [], &mut out).is_err() {
            return Err(PgError::TooLarge);
        }
        frontend::execute("", 0, &mut out)?;
        frontend::sync(&mut out);
        self.send(&out)?;
        self.rows()
    }

    /// Runs statements of which all count or none.
    ///
    /// # Errors
    /// As [`Self::run`], and whatever `work` fails with.
    pub fn transaction<T>(
        &mut self,
        cancel: &Cancel,
        work: impl FnOnce(&mut Self) -> Result<T, PgError>,
    ) -> Result<T, PgError> {
        self.run("BEGIN", &[], cancel)?;
        match work(self) {
            Ok(done) => {
                self.run("COMMIT", &[], cancel)?;
                Ok(done)
            }
            Err(error) => {
                if error.leaves_connection() {
                    self.run("ROLLBACK", &[], cancel)?;
                }
                Err(error)
            }
        }
    }

    fn rows(&mut self) -> Result<Vec<Row>, PgError> {
        let (mut rows, mut bytes, mut told) = (Vec::new(), 0, None);
        loop {
            match self.next()? {
                Message::DataRow(row) => {
                    // What it takes in memory: columns of nothing take little of the line and much of that.
                    bytes += row.buffer().len() + room(count(&row));
                    if bytes > limits::POSTGRES_RESULT_BYTES_MAX
                        || rows.len() >= limits::POSTGRES_RESULT_ROWS_MAX
                    {
                        return Err(PgError::TooLarge);
                    }
                    rows.push(columns(&row)?);
                }
                Message::ErrorResponse(error) => told = Some(self.told(&error)),
                Message::ReadyForQuery(_) => return told.map_or(Ok(rows), Err),
                Message::ParseComplete
                | Message::BindComplete
                | Message::CommandComplete(_)
                | Message::EmptyQueryResponse => {}
                _ => return Err(PgError::Garbled),
            }
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), PgError> {
        self.line.write_all(bytes)?;
        self.line.flush()?;
        Ok(())
    }

    /// The next message that says something.
    pub(super) fn next(&mut self) -> Result<Message, PgError> {
        loop {
            // Asked before room is made for what the head announces.
            let length = Header::parse(&self.read)?.map_or(0, Header::len);
            if usize::try_from(length).unwrap_or(usize::MAX) > limits::POSTGRES_MESSAGE_BYTES_MAX {
                return Err(PgError::TooLarge);
            }
            match Message::parse(&mut self.read)? {
                Some(
                    Message::NoticeResponse(_)
                    | Message::ParameterStatus(_)
                    | Message::NotificationResponse(_),
                ) => {}
                Some(message) => return Ok(message),
                None => {
                    let mut some = [0; READ_BYTES];
                    let amount = self.line.read(&mut some)?;
                    if amount == 0 {
                        return Err(NetError::Broken("the other side closed the connection".into()).into());
                    }
                    self.read.extend_from_slice(&some[..amount]);
                }
            }
        }
    }

    /// What the server says in an error.
    pub(super) fn told(&self, error: &ErrorResponseBody) -> PgError {
        use fallible_iterator::FallibleIterator as _;
        let (mut code, mut message) = (String::new(), String::new());
        let mut fields = error.fields();
        while let Ok(Some(field)) = fields.next() {
            let text = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                b'C' => code = text(),
                b'M' => message = text(),
                _ => {}
            }
        }
        PgError::told(&code, &message, &self.password)
    }

    /// Says goodbye, for which nobody waits long.
    pub(super) fn close(mut self) {
        let mut out = BytesMut::new();
        frontend::terminate(&mut out);
        self.line.exchange(&Cancel::new(None), GOODBYE);
        // The server notices the end of the line as well.
        let _ = self.send(&out);
    }
}

/// The columns of a row, as its head announces.
fn count(row: &DataRowBody) -> usize {
    use fallible_iterator::FallibleIterator as _;
    row.ranges().size_hint().0
}

/// Bytes that a row of so many columns takes, whatever is in them.
const fn room(columns: usize) -> usize {
    size_of::<Row>() + columns * size_of::<Option<String>>()
}

fn columns(row: &DataRowBody) -> Result<Row, PgError> {
    use fallible_iterator::FallibleIterator as _;
    let (mut ranges, mut columns) = (row.ranges(), Row::with_capacity(count(row)));
    while let Some(range) = ranges.next()? {
        columns.push(range.map(|range| String::from_utf8_lossy(&row.buffer()[range]).into_owned()));
    }
    Ok(columns)
}
