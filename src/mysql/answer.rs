//! What a server answers to a statement: how many rows it changed, or rows with their columns.

use super::packet::{Fields, Packets};
use super::{Bounds, MySqlError};
use crate::limits;
use std::fmt::Write as _;
use std::io::Read;

/// What a value of a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A number that a double holds.
    Number,
    /// A whole number of up to 64 bits.
    Long,
    /// A date, or date and time.
    Time,
    /// JSON.
    Json,
    /// Bytes.
    Bytes,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// The protocol's number of its type.
    pub number: u8,
    unsigned: bool,
}

/// A value, as the server writes it when it writes text.
pub type Cell = Option<Vec<u8>>;
/// A row.
pub type Row = Vec<Cell>;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Rows that were changed.
    pub changed: u64,
    /// The number that a new row was given.
    pub inserted: u64,
    /// The columns; none for what gives no rows.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// How rows are written: those of a plain statement as text, those of a prepared one by their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As text.
    Text,
    /// By type.
    Binary,
}

/// In the numbers that end an answer: another one follows.
const MORE: u16 = 8;
/// In a column's flags: no sign.
const UNSIGNED: u16 = 32;
/// The character set that says that there are none.
const NO_TEXT: u16 = 63;
/// Bytes of a packet beside what is in rows.
const PACKET_BYTES_MAX: usize = 64 * 1024;

/// Reads the answer to a statement from `source`. Of several answers, which a procedure gives, the first with rows stays.
/// `bounds` hold for all of them together.
///
/// # Errors
/// As [`MySqlError`]. Whatever comes, nothing grows beyond the bounds.
pub fn read(source: &mut impl Read, format: Format, bounds: &Bounds) -> Result<Answer, MySqlError> {
    Reading { packets: &mut Packets::default(), source, bounds, password: "", rows: 0, bytes: 0 }.all(format)
}

/// Reads one answer.
pub(super) struct Reading<'a, R: Read> {
    pub(super) packets: &'a mut Packets,
    pub(super) source: &'a mut R,
    pub(super) bounds: &'a Bounds,
    /// Is hidden in what the server says.
    pub(super) password: &'a str,
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

impl<R: Read> Reading<'_, R> {
    pub(super) fn next(&mut self) -> Result<Vec<u8>, MySqlError> {
        let most = self.bounds.bytes.saturating_sub(self.bytes).saturating_add(PACKET_BYTES_MAX);
        self.packets.next(self.source, most)
    }

    pub(super) fn all(mut self, format: Format) -> Result<Answer, MySqlError> {
        let (mut kept, mut more) = self.one(format)?;
        while more {
            let (next, another) = self.one(format)?;
            if kept.columns.is_empty() {
                kept = next;
            }
            more = another;
        }
        Ok(kept)
    }

    /// One answer, and whether another follows.
    fn one(&mut self, format: Format) -> Result<(Answer, bool), MySqlError> {
        let head = self.next()?;
        // Answers that say nothing weigh too: a server could send them for ever.
        self.weigh(head.len() + size_of::<Answer>())?;
        let mut fields = Fields(&head);
        match head.first() {
            Some(0x00) => {
                fields.byte()?;
                let changed = fields.length()?.unwrap_or_default();
                let inserted = fields.length()?.unwrap_or_default();
                let more = fields.short()? & MORE != 0;
                return Ok((Answer { changed, inserted, ..Answer::default() }, more));
            }
            Some(0xff) => return Err(told(&head, self.password)),
            Some(0xfb) => return Err(MySqlError::WantsFile),
            _ => {}
        }
        let count = usize::try_from(fields.length()?.unwrap_or_default()).unwrap_or(usize::MAX);
        if count == 0 || count > limits::MYSQL_COLUMNS_MAX {
            return Err(MySqlError::Garbled);
        }
        let mut columns = Vec::new();
        for _ in 0..count {
            let packet = self.next()?;
            self.weigh(packet.len() + size_of::<Column>())?;
            columns.push(column(&packet)?);
        }
        if !is_end(&self.next()?) {
            return Err(MySqlError::Garbled);
        }
        let mut rows = Vec::new();
        loop {
            let packet = self.next()?;
            if is_end(&packet) {
                let more =
                    Fields(packet.get(3..).unwrap_or_default()).short().unwrap_or_default() & MORE != 0;
                return Ok((Answer { columns, rows, ..Answer::default() }, more));
            }
            if packet.first() == Some(&0xff) {
                return Err(told(&packet, self.password));
            }
            // What it takes in memory: columns of nothing take little of the line and much of that.
            self.weigh(packet.len() + size_of::<Row>() + columns.len() * size_of::<Cell>())?;
            self.rows += 1;
            if self.rows > self.bounds.rows {
                return Err(MySqlError::TooLarge);
            }
            rows.push(match format {
                Format::Text => text_row(&packet, &columns)?,
                Format::Binary => binary_row(&packet, &columns)?,
            });
        }
    }

    fn weigh(&mut self, bytes: usize) -> Result<(), MySqlError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.bounds.bytes { Err(MySqlError::TooLarge) } else { Ok(()) }
    }
}

/// True for the packet that ends columns or rows.
pub(super) fn is_end(packet: &[u8]) -> bool {
    packet.first() == Some(&0xfe) && packet.len() < 9
}

/// What a server says in an error.
pub(super) fn told(packet: &[u8], password: &str) -> MySqlError {
    let mut fields = Fields(packet.get(1..).unwrap_or_default());
    let Ok(number) = fields.short() else { return MySqlError::Garbled };
    let (state, message) = match fields.0.split_first() {
        Some((b'#', rest)) => rest.split_at_checked(5).unwrap_or((b"", rest)),
        _ => (&b""[..], fields.0),
    };
    MySqlError::told(number, &String::from_utf8_lossy(state), &String::from_utf8_lossy(message), password)
}

fn column(packet: &[u8]) -> Result<Column, MySqlError> {
    let mut fields = Fields(packet);
    for _ in 0..4 {
        fields.value()?;
    }
    let name = String::from_utf8_lossy(fields.value()?.unwrap_or_default()).into_owned();
    fields.value()?;
    fields.length()?;
    let charset = fields.short()?;
    fields.long()?;
    let number = fields.byte()?;
    let unsigned = fields.short()? & UNSIGNED != 0;
    let kind = match number {
        1..=5 | 9 | 13 => Kind::Number,
        8 => Kind::Long,
        7 | 10 | 12 | 14 => Kind::Time,
        245 => Kind::Json,
        16 | 255 => Kind::Bytes,
        15 | 249..=254 if charset == NO_TEXT => Kind::Bytes,
        _ => Kind::Text,
    };
    Ok(Column { name, kind, number, unsigned })
}

fn text_row(packet: &[u8], columns: &[Column]) -> Result<Row, MySqlError> {
    let mut fields = Fields(packet);
    columns.iter().map(|_| Ok(fields.value()?.map(<[u8]>::to_vec))).collect()
}

fn binary_row(packet: &[u8], columns: &[Column]) -> Result<Row, MySqlError> {
    let mut fields = Fields(packet);
    if fields.byte()? != 0 {
        return Err(MySqlError::Garbled);
    }
    let nothing = fields.take((columns.len() + 2).div_ceil(8))?;
    let mut row = Row::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        // The first two bits are nobody's.
        let bit = at + 2;
        let is_nothing = nothing[bit / 8] >> (bit % 8) & 1 == 1;
        row.push(if is_nothing { None } else { Some(binary(&mut fields, column)?) });
    }
    Ok(row)
}

/// One value written by its type, as the server would write it as text.
fn binary(fields: &mut Fields<'_>, column: &Column) -> Result<Vec<u8>, MySqlError> {
    let whole = |fields: &mut Fields<'_>, bytes: usize| -> Result<String, MySqlError> {
        let value = fields.whole(bytes)?;
        // Pushed to the upper end and back, so that the sign comes along.
        let shift = 64 - 8 * bytes;
        let signed = (value << shift).cast_signed() >> shift;
        Ok(if column.unsigned { value.to_string() } else { signed.to_string() })
    };
    let text = match column.number {
        1 => whole(fields, 1)?,
        2 | 13 => whole(fields, 2)?,
        3 | 9 => whole(fields, 4)?,
        8 => whole(fields, 8)?,
        // With an exponent where the digits would be hundreds.
        4 => format!("{:?}", f32::from_bits(fields.long()?)),
        5 => format!("{:?}", f64::from_bits(fields.whole(8)?)),
        7 | 10 | 12 | 14 => date(fields, column.number == 10)?,
        11 => time(fields)?,
        _ => return Ok(fields.value()?.ok_or(MySqlError::Garbled)?.to_vec()),
    };
    Ok(text.into_bytes())
}

fn date(fields: &mut Fields<'_>, is_day: bool) -> Result<String, MySqlError> {
    let length = fields.byte()?;
    let mut fields = Fields(fields.take(length.into())?);
    let (mut year, mut month, mut day) = (0, 0, 0);
    if length >= 4 {
        (year, month, day) = (fields.short()?, fields.byte()?, fields.byte()?);
    }
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    if !is_day {
        let (mut hour, mut minute, mut second) = (0, 0, 0);
        if length >= 7 {
            (hour, minute, second) = (fields.byte()?, fields.byte()?, fields.byte()?);
        }
        let _ = write!(text, " {hour:02}:{minute:02}:{second:02}");
        if length >= 11 {
            let _ = write!(text, ".{:06}", fields.long()?);
        }
    }
    Ok(text)
}

fn time(fields: &mut Fields<'_>) -> Result<String, MySqlError> {
    let length = fields.byte()?;
    let mut fields = Fields(fields.take(length.into())?);
    if length < 8 {
        return Ok("00:00:00".to_owned());
    }
    let sign = if fields.byte()? == 1 { "-" } else { "" };
    let hours = u64::from(fields.long()?) * 24 + u64::from(fields.byte()?);
    let mut text = format!("{sign}{hours:02}:{:02}:{:02}", fields.byte()?, fields.byte()?);
    if length >= 12 {
        let _ = write!(text, ".{:06}", fields.long()?);
    }
    Ok(text)
}
