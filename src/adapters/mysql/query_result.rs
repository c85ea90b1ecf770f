//! What a server answers to a statement: how many rows it changed, or rows with their columns.

use super::packet::{FieldReader, PacketReader};
use super::{MySqlError, MySqlLimits};
use std::fmt::Write as _;
use std::io::Read;

/// Columns of one result of a MySQL server (manual 14.6).
const MYSQL_COLUMNS_MAX: usize = 4_096;

/// What a value of a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    Text,
    /// A number that a double holds.
    Number,
    /// A whole number of up to 64 bits.
    Long,
    /// A date, or date and time.
    Time,
    Json,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MySqlColumn {
    pub name: String,
    pub kind: ValueType,
    /// The protocol's number of its type.
    pub number: u8,
    unsigned: bool,
}

/// A value, as the server writes it when it writes text.
pub type MySqlCell = Option<Vec<u8>>;
pub type MySqlRow = Vec<MySqlCell>;

/// What came back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MySqlQueryResult {
    pub changed: u64,
    /// The number that a new row was given.
    pub inserted: u64,
    /// The columns; none for what gives no rows.
    pub columns: Vec<MySqlColumn>,
    pub rows: Vec<MySqlRow>,
}

/// How rows are written: those of a plain statement as text, those of a prepared one by their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    Text,
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
pub fn read(
    source: &mut impl Read,
    format: RowFormat,
    bounds: &MySqlLimits,
) -> Result<MySqlQueryResult, MySqlError> {
    ResultReader { packets: &mut PacketReader::default(), source, bounds, password: "", rows: 0, bytes: 0 }
        .read_all(format)
}

/// Reads one answer.
pub(super) struct ResultReader<'a, R: Read> {
    pub(super) packets: &'a mut PacketReader,
    pub(super) source: &'a mut R,
    pub(super) bounds: &'a MySqlLimits,
    /// Is hidden in what the server says.
    pub(super) password: &'a str,
    pub(super) rows: usize,
    pub(super) bytes: usize,
}

impl<R: Read> ResultReader<'_, R> {
    pub(super) fn next_packet(&mut self) -> Result<Vec<u8>, MySqlError> {
        let most = self.bounds.bytes.saturating_sub(self.bytes).saturating_add(PACKET_BYTES_MAX);
        self.packets.next(self.source, most)
    }

    pub(super) fn read_all(mut self, format: RowFormat) -> Result<MySqlQueryResult, MySqlError> {
        let (mut kept, mut more) = self.read_one(format)?;
        while more {
            let (next, another) = self.read_one(format)?;
            if kept.columns.is_empty() {
                kept = next;
            }
            more = another;
        }
        Ok(kept)
    }

    /// One answer, and whether another follows.
    fn read_one(&mut self, format: RowFormat) -> Result<(MySqlQueryResult, bool), MySqlError> {
        let head = self.next_packet()?;
        // Answers that say nothing weigh too: a server could send them for ever.
        self.count_bytes(head.len() + size_of::<MySqlQueryResult>())?;
        let mut fields = FieldReader(&head);
        match head.first() {
            Some(0x00) => {
                fields.byte()?;
                let changed = fields.length()?.unwrap_or_default();
                let inserted = fields.length()?.unwrap_or_default();
                let more = fields.short()? & MORE != 0;
                return Ok((MySqlQueryResult { changed, inserted, ..MySqlQueryResult::default() }, more));
            }
            Some(0xff) => return Err(error_from_packet(&head, self.password)),
            Some(0xfb) => return Err(MySqlError::WantsFile),
            _ => {}
        }
        let count = usize::try_from(fields.length()?.unwrap_or_default()).unwrap_or(usize::MAX);
        if count == 0 || count > MYSQL_COLUMNS_MAX {
            return Err(MySqlError::Garbled);
        }
        let mut columns = Vec::new();
        for _ in 0..count {
            let packet = self.next_packet()?;
            self.count_bytes(packet.len() + size_of::<MySqlColumn>())?;
            columns.push(column(&packet)?);
        }
        if !is_end(&self.next_packet()?) {
            return Err(MySqlError::Garbled);
        }
        let mut rows = Vec::new();
        loop {
            let packet = self.next_packet()?;
            if is_end(&packet) {
                let more =
                    FieldReader(packet.get(3..).unwrap_or_default()).short().unwrap_or_default() & MORE != 0;
                return Ok((MySqlQueryResult { columns, rows, ..MySqlQueryResult::default() }, more));
            }
            if packet.first() == Some(&0xff) {
                return Err(error_from_packet(&packet, self.password));
            }
            // What it takes in memory: columns of nothing take little of the line and much of that.
            self.count_bytes(packet.len() + size_of::<MySqlRow>() + columns.len() * size_of::<MySqlCell>())?;
            self.rows += 1;
            if self.rows > self.bounds.rows {
                return Err(MySqlError::TooLarge);
            }
            rows.push(match format {
                RowFormat::Text => text_row(&packet, &columns)?,
                RowFormat::Binary => binary_row(&packet, &columns)?,
            });
        }
    }

    fn count_bytes(&mut self, bytes: usize) -> Result<(), MySqlError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.bounds.bytes { Err(MySqlError::TooLarge) } else { Ok(()) }
    }
}

/// True for the packet that ends columns or rows.
pub(super) fn is_end(packet: &[u8]) -> bool {
    packet.first() == Some(&0xfe) && packet.len() < 9
}

/// What a server says in an error.
pub(super) fn error_from_packet(packet: &[u8], password: &str) -> MySqlError {
    let mut fields = FieldReader(packet.get(1..).unwrap_or_default());
    let Ok(number) = fields.short() else { return MySqlError::Garbled };
    let (state, message) = match fields.0.split_first() {
        Some((b'#', rest)) => rest.split_at_checked(5).unwrap_or((b"", rest)),
        _ => (&b""[..], fields.0),
    };
    MySqlError::from_server(
        number,
        &String::from_utf8_lossy(state),
        &String::from_utf8_lossy(message),
        password,
    )
}

fn column(packet: &[u8]) -> Result<MySqlColumn, MySqlError> {
    let mut fields = FieldReader(packet);
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
        1..=5 | 9 | 13 => ValueType::Number,
        8 => ValueType::Long,
        7 | 10 | 12 | 14 => ValueType::Time,
        245 => ValueType::Json,
        16 | 255 => ValueType::Bytes,
        15 | 249..=254 if charset == NO_TEXT => ValueType::Bytes,
        _ => ValueType::Text,
    };
    Ok(MySqlColumn { name, kind, number, unsigned })
}

fn text_row(packet: &[u8], columns: &[MySqlColumn]) -> Result<MySqlRow, MySqlError> {
    let mut fields = FieldReader(packet);
    columns.iter().map(|_| Ok(fields.value()?.map(<[u8]>::to_vec))).collect()
}

fn binary_row(packet: &[u8], columns: &[MySqlColumn]) -> Result<MySqlRow, MySqlError> {
    let mut fields = FieldReader(packet);
    if fields.byte()? != 0 {
        return Err(MySqlError::Garbled);
    }
    let nothing = fields.take((columns.len() + 2).div_ceil(8))?;
    let mut row = MySqlRow::with_capacity(columns.len());
    for (at, column) in columns.iter().enumerate() {
        // The first two bits are nobody's.
        let bit = at + 2;
        let is_nothing = nothing[bit / 8] >> (bit % 8) & 1 == 1;
        row.push(if is_nothing { None } else { Some(binary(&mut fields, column)?) });
    }
    Ok(row)
}

/// One value written by its type, as the server would write it as text.
fn binary(fields: &mut FieldReader<'_>, column: &MySqlColumn) -> Result<Vec<u8>, MySqlError> {
    let whole = |fields: &mut FieldReader<'_>, bytes: usize| -> Result<String, MySqlError> {
        let value = fields.integer(bytes)?;
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
        5 => format!("{:?}", f64::from_bits(fields.integer(8)?)),
        7 | 10 | 12 | 14 => date(fields, column.number == 10)?,
        11 => time(fields)?,
        _ => return Ok(fields.value()?.ok_or(MySqlError::Garbled)?.to_vec()),
    };
    Ok(text.into_bytes())
}

fn date(fields: &mut FieldReader<'_>, is_day: bool) -> Result<String, MySqlError> {
    let length = fields.byte()?;
    let mut fields = FieldReader(fields.take(length.into())?);
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

fn time(fields: &mut FieldReader<'_>) -> Result<String, MySqlError> {
    let length = fields.byte()?;
    let mut fields = FieldReader(fields.take(length.into())?);
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
