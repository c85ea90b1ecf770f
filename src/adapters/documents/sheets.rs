//! Spreadsheets (xlsx, xlsm, xlsb, xls, ods): one part for each sheet, rows as lines, cells divided by tabs.

use super::archive::BoundedArchive;
use super::{DocumentError, DocumentKind, DocumentPart, LimitKind, TextCollector};
use calamine::{
    Data, DataRef, ExcelDateTime, Ods, OdsError, Range, Reader, Xls, XlsError, Xlsb, XlsbError, Xlsx,
    XlsxError,
};
use std::io::Cursor;

const DAMAGED: DocumentError = DocumentError::Damaged(DocumentKind::Sheet);

pub(super) fn read(bytes: &[u8], into: &mut TextCollector) -> Result<(), DocumentError> {
    let file = Cursor::new(bytes);
    if !bytes.starts_with(b"PK") {
        // A newer file that is locked is wrapped in the container of the older ones.
        if matches!(Xlsx::new(file.clone()), Err(XlsxError::Password)) {
            return Err(DocumentError::Locked);
        }
        return read_sheets(Xls::new(file), |error| matches!(error, XlsError::Password), into);
    }
    let mut archive = BoundedArchive::open(bytes, DocumentKind::Sheet, into.sizes)?;
    archive.measure()?;
    if archive.contains("content.xml") {
        read_sheets(Ods::new(file), |error| matches!(error, OdsError::Password), into)
    } else if archive.contains("xl/workbook.bin") {
        read_sheets(Xlsb::new(file), |error| matches!(error, XlsbError::Password), into)
    } else if archive.contains("[Content_Types].xml") {
        read_cells(Xlsx::new(file).map_err(|_| DAMAGED)?, into)
    } else {
        Err(DocumentError::NotThisKind(DocumentKind::Sheet))
    }
}

/// Formats that are read a sheet at a time.
fn read_sheets<'a, R: Reader<Cursor<&'a [u8]>>>(
    book: Result<R, R::Error>,
    locked: impl Fn(&R::Error) -> bool,
    into: &mut TextCollector,
) -> Result<(), DocumentError> {
    let refused = |error: R::Error| if locked(&error) { DocumentError::Locked } else { DAMAGED };
    let mut book = book.map_err(refused)?;
    for name in book.sheet_names() {
        let text = range_text(&book.worksheet_range(&name).map_err(refused)?, into.bytes_left())?;
        into.add(DocumentPart { title: Some(name), text })?;
    }
    Ok(())
}

/// Cell by cell: a single cell far away would make a table of everything before it.
fn read_cells(mut book: Xlsx<Cursor<&[u8]>>, into: &mut TextCollector) -> Result<(), DocumentError> {
    for name in book.sheet_names() {
        let text = sheet_cells(&mut book, &name, into.bytes_left())?;
        into.add(DocumentPart { title: Some(name), text })?;
    }
    Ok(())
}

fn sheet_cells(book: &mut Xlsx<Cursor<&[u8]>>, name: &str, room: usize) -> Result<String, DocumentError> {
    let mut table = SheetText::new(room);
    // A sheet of charts has no cells.
    let Ok(mut cells) = book.worksheet_cells_reader(name) else { return Ok(String::new()) };
    while let Some(cell) = cells.next_cell().map_err(|_| DAMAGED)? {
        let value = match cell.get_value() {
            DataRef::SharedString(text) => (*text).to_owned(),
            DataRef::DateTime(time) => format_moment(time),
            value => Data::from(value.clone()).to_string(),
        };
        table.cell(cell.get_position(), &value)?;
    }
    Ok(table.text)
}

fn range_text(range: &Range<Data>, room: usize) -> Result<String, DocumentError> {
    let mut table = SheetText::new(room);
    for (row, column, value) in range.used_cells() {
        let place = |number| u32::try_from(number).map_err(|_| DAMAGED);
        let value = match value {
            Data::DateTime(time) => format_moment(time),
            value => value.to_string(),
        };
        table.cell((place(row)?, place(column)?), &value)?;
    }
    Ok(table.text)
}

/// A date, a time or both as people write them; the file holds a number of days.
fn format_moment(time: &ExcelDateTime) -> String {
    if time.is_duration() {
        let seconds = (time.as_f64() * 86_400.0).round();
        let (hours, minutes) = ((seconds / 3_600.0).trunc(), (seconds / 60.0).trunc() % 60.0);
        return format!("{hours}:{:02}:{:02}", minutes.abs(), (seconds % 60.0).abs());
    }
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let date = format!("{year:04}-{month:02}-{day:02}");
    if (hour, minute, second) == (0, 0, 0) {
        date
    } else {
        format!("{date} {hour:02}:{minute:02}:{second:02}")
    }
}

/// A sheet as text, from its cells in the order of reading. Empty rows and the empty cells before the first column that
/// is in use anywhere are few enough to keep; a long way to the next cell is shortened.
struct SheetText {
    text: String,
    room: usize,
    row: u32,
    column: u32,
}

/// The most empty rows, or empty cells in a row, that are written out.
const GAP_MAX: u32 = 16;

impl SheetText {
    const fn new(room: usize) -> Self {
        Self { text: String::new(), room, row: 0, column: 0 }
    }

    fn cell(&mut self, (row, column): (u32, u32), value: &str) -> Result<(), DocumentError> {
        if value.is_empty() {
            return Ok(());
        }
        if row > self.row {
            let gap = if self.text.is_empty() { 0 } else { (row - self.row).min(GAP_MAX) };
            self.text.extend((0..gap).map(|_| '\n'));
            (self.row, self.column) = (row, 0);
        }
        let gap = column.saturating_sub(self.column).min(GAP_MAX);
        self.text.extend((0..gap).map(|_| '\t'));
        self.column = column;
        self.text.extend(value.chars().map(|c| if matches!(c, '\n' | '\t' | '\r') { ' ' } else { c }));
        if self.text.len() > self.room { Err(DocumentError::TooLarge(LimitKind::Text)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_become_lines_and_long_ways_are_shortened() {
        let mut table = SheetText::new(1_000);
        for (place, value) in
            [((1, 0), "a"), ((1, 2), "b\nc"), ((2, 1), "d"), ((4, 0), "e"), ((1_000_000, 16_000), "f")]
        {
            table.cell(place, value).unwrap();
        }
        assert_eq!(table.text, format!("a\t\tb c\n\td\n\ne{}{}f", "\n".repeat(16), "\t".repeat(16)));
        assert_eq!(SheetText::new(2).cell((0, 0), "abc"), Err(DocumentError::TooLarge(LimitKind::Text)));
    }
}
