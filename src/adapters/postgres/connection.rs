//! One connection: statements go out with their parameters, rows come back as texts.

use super::{PgError, PgServer, login};
use crate::base::cancel::CancelToken;
use crate::limits;
use crate::net::{GuardedStream, NetError, Outgoing};
use bytes::BytesMut;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{
    DataRowBody, ErrorResponseBody, Header, Message, RowDescriptionBody,
};
use postgres_protocol::message::frontend;
use std::io::{Read as _, Write as _};
use std::time::Duration;

/// Bytes of one thing a PostgreSQL server says: a row, mostly (manual 14.6).
const POSTGRES_MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// What is read from the line at once.
const READ_BYTES: usize = 16 * 1024;
const GOODBYE: Duration = Duration::from_secs(1);
/// Time to end a statement from beside.
const STOP: Duration = Duration::from_secs(2);

/// A row: each column as the server writes it.
pub type PgRow = Vec<Option<String>>;

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PgColumn {
    pub name: String,
    /// The server's number of its type.
    pub kind: u32,
}

/// What a statement gave.
#[derive(Debug, Default)]
pub struct PgQueryResult {
    /// The columns, where the server was asked to describe them.
    pub columns: Vec<PgColumn>,
    pub rows: Vec<PgRow>,
    /// What was done, as the server puts it: its verb, and how many rows.
    pub done: String,
}

/// The most that one statement may give.
#[derive(Debug, Clone, Copy)]
pub struct PgResultLimits {
    pub rows: usize,
    /// Bytes of all rows, and of the memory that holds them.
    pub bytes: usize,
}

impl Default for PgResultLimits {
    fn default() -> Self {
        Self { rows: limits::POSTGRES_RESULT_ROWS_MAX, bytes: limits::POSTGRES_RESULT_BYTES_MAX }
    }
}

/// A connection that is signed in.
pub struct PgConnection {
    pub(super) stream: GuardedStream,
    pub(super) read: BytesMut,
    pub(super) time: Duration,
    pub(super) password: String,
    /// Number and key of the connection, by which another one ends its statement.
    pub(super) key: Option<(i32, i32)>,
}

impl PgConnection {
    /// Connects and signs in.
    ///
    /// # Errors
    /// As [`PgError`].
    pub fn open(server: &PgServer, outgoing: &Outgoing, cancel: &CancelToken) -> Result<Self, PgError> {
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
    pub fn run(
        &mut self,
        sql: &str,
        parameters: &[&str],
        cancel: &CancelToken,
    ) -> Result<Vec<PgRow>, PgError> {
        self.send_statement(sql, parameters.iter().copied().map(Some), false, cancel)?;
        Ok(self.read_answer(PgResultLimits::default())?.rows)
    }

    /// As [`Self::run`], with values that may be none and columns that are described.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn query(
        &mut self,
        sql: &str,
        values: &[Option<String>],
        bounds: PgResultLimits,
        cancel: &CancelToken,
    ) -> Result<PgQueryResult, PgError> {
        self.send_statement(sql, values.iter().map(Option::as_deref), true, cancel)?;
        self.read_answer(bounds)
    }

    fn send_statement<'v>(
        &mut self,
        sql: &str,
        values: impl Iterator<Item = Option<&'v str>>,
        describe: bool,
        cancel: &CancelToken,
    ) -> Result<(), PgError> {
        self.stream.start_exchange(cancel, self.time);
        let mut out = BytesMut::new();
        frontend::parse("", sql, [], &mut out)?;
        let write = |value: Option<&str>, out: &mut BytesMut| {
            let Some(value) = value else { return Ok(IsNull::Yes) };
            out.extend_from_slice(value.as_bytes());
            Ok(IsNull::No)
        };
        // Parameters and columns are texts, which every type has.
        if frontend::bind("", "", [], values, write, [], &mut out).is_err() {
            return Err(PgError::TooLarge);
        }
        if describe {
            frontend::describe(b'P', "", &mut out)?;
        }
        frontend::execute("", 0, &mut out)?;
        frontend::sync(&mut out);
        self.send(&out)
    }

    /// Every later statement may take so long and no longer.
    pub const fn set_time(&mut self, time: Duration) {
        self.time = time;
    }

    /// Runs statements of which all count or none.
    ///
    /// # Errors
    /// As [`Self::run`], and whatever `work` fails with.
    pub fn transaction<T>(
        &mut self,
        cancel: &CancelToken,
        work: impl FnOnce(&mut Self) -> Result<T, PgError>,
    ) -> Result<T, PgError> {
        self.run("BEGIN", &[], cancel)?;
        match work(self) {
            Ok(done) => {
                self.run("COMMIT", &[], cancel)?;
                Ok(done)
            }
            Err(error) => {
                if error.is_connection_usable() {
                    self.run("ROLLBACK", &[], cancel)?;
                }
                Err(error)
            }
        }
    }

    fn read_answer(&mut self, bounds: PgResultLimits) -> Result<PgQueryResult, PgError> {
        let (mut answer, mut bytes, mut told) = (PgQueryResult::default(), 0, None);
        loop {
            match self.next()? {
                Message::RowDescription(described) => answer.columns = columns_of(&described)?,
                Message::DataRow(row) => {
                    // What it takes in memory: columns of nothing take little of the line and much of that.
                    bytes += row.buffer().len() + row_bytes(column_count(&row));
                    if bytes > bounds.bytes || answer.rows.len() >= bounds.rows {
                        return Err(PgError::TooLarge);
                    }
                    answer.rows.push(columns(&row)?);
                }
                Message::ErrorResponse(error) => told = Some(self.error_from_server(&error)),
                Message::CommandComplete(done) => answer.done = done.tag()?.to_owned(),
                Message::ReadyForQuery(_) => return told.map_or(Ok(answer), Err),
                Message::ParseComplete
                | Message::BindComplete
                | Message::NoData
                | Message::EmptyQueryResponse => {}
                _ => return Err(PgError::Garbled),
            }
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), PgError> {
        self.stream.write_all(bytes)?;
        self.stream.flush()?;
        Ok(())
    }

    /// The next message that says something.
    pub(super) fn next(&mut self) -> Result<Message, PgError> {
        loop {
            // Asked before room is made for what the head announces.
            let length = Header::parse(&self.read)?.map_or(0, Header::len);
            if usize::try_from(length).unwrap_or(usize::MAX) > POSTGRES_MESSAGE_BYTES_MAX {
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
                    let amount = self.stream.read(&mut some)?;
                    if amount == 0 {
                        return Err(NetError::Broken("the other side closed the connection".into()).into());
                    }
                    self.read.extend_from_slice(&some[..amount]);
                }
            }
        }
    }

    /// What the server says in an error.
    pub(super) fn error_from_server(&self, error: &ErrorResponseBody) -> PgError {
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
        PgError::from_server(&code, &message, &self.password)
    }

    /// Ends the statement that this connection waits for: without it the server would go on for nobody. It takes a short
    /// time at most, and what cannot be ended is left to the server's own limit.
    pub fn cancel_statement(self, server: &PgServer, outgoing: &Outgoing) {
        let Self { stream: line, key, .. } = self;
        drop(line);
        let Some((number, key)) = key else { return };
        let mut out = BytesMut::new();
        frontend::cancel_request(number, key, &mut out);
        if let Ok(mut beside) = login::open_stream(server, outgoing, &CancelToken::new(None), STOP) {
            let _ = beside.write_all(&out).and_then(|()| beside.flush());
            // The server closes it when it has done so.
            let _ = beside.read(&mut [0]);
        }
    }

    /// Says goodbye, for which nobody waits long. What a transaction did that was not committed is undone there.
    pub fn close(mut self) {
        let mut out = BytesMut::new();
        frontend::terminate(&mut out);
        self.stream.start_exchange(&CancelToken::new(None), GOODBYE);
        // The server notices the end of the line as well.
        let _ = self.send(&out);
    }
}

/// The columns of a row, as its head announces.
fn column_count(row: &DataRowBody) -> usize {
    use fallible_iterator::FallibleIterator as _;
    row.ranges().size_hint().0
}

/// Bytes that a row of so many columns takes, whatever is in them.
const fn row_bytes(columns: usize) -> usize {
    size_of::<PgRow>() + columns * size_of::<Option<String>>()
}

fn columns_of(described: &RowDescriptionBody) -> Result<Vec<PgColumn>, PgError> {
    use fallible_iterator::FallibleIterator as _;
    let (mut fields, mut columns) = (described.fields(), Vec::new());
    while let Some(field) = fields.next()? {
        columns.push(PgColumn { name: field.name().to_owned(), kind: field.type_oid() });
    }
    Ok(columns)
}

fn columns(row: &DataRowBody) -> Result<PgRow, PgError> {
    use fallible_iterator::FallibleIterator as _;
    let (mut ranges, mut columns) = (row.ranges(), PgRow::with_capacity(column_count(row)));
    while let Some(range) = ranges.next()? {
        columns.push(range.map(|range| String::from_utf8_lossy(&row.buffer()[range]).into_owned()));
    }
    Ok(columns)
}
