//! Tables whose first row names the columns: CSV, and the sheets of a spreadsheet.

use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::FileContent;
use serde_json::{Map, Value};

/// The rows of CSV (RFC 4180): quotes keep commas, line ends and doubled quotes within a cell. What follows a closing
/// quote belongs to the cell, and a quote that is never closed ends with the text.
pub(crate) fn csv(text: &str) -> Vec<Vec<String>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let separator = separator(text);
    let (mut rows, mut row, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut is_quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' if is_quoted => is_quoted = false,
            '"' if cell.trim().is_empty() => {
                cell.clear();
                is_quoted = true;
            }
            c if is_quoted => cell.push(c),
            c if c == separator => row.push(std::mem::take(&mut cell)),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    rows
}

/// Commas, unless the first line has only other marks that programs use.
fn separator(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: char| first.matches(mark).count();
    if count(',') > 0 {
        return ',';
    }
    [';', '\t'].into_iter().max_by_key(|&mark| count(mark)).filter(|&mark| count(mark) > 0).unwrap_or(',')
}

/// The rows of a sheet as the reader of spreadsheets writes them.
pub(in crate::document_loaders) fn sheet(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// How a table becomes documents.
pub(in crate::document_loaders) struct RowFormat<'a> {
    /// What stands before each `column: value`.
    pub mark: &'a str,
    /// What the number of a row is called in the metadata.
    pub number: &'a str,
    /// Only this column, without its name.
    pub column: Option<&'a str>,
    /// Values of the row go into the metadata too.
    pub with_values: bool,
}

impl RowFormat<'_> {
    /// A document for each row that says something. `None` when the column that is wanted does not exist.
    pub(in crate::document_loaders) fn documents(
        &self,
        file: &FileContent<'_>,
        rows: Vec<Vec<String>>,
    ) -> Option<Vec<Document>> {
        let mut rows = rows.into_iter();
        let names: Vec<String> =
            rows.next().unwrap_or_default().iter().map(|name| name.trim().to_owned()).collect();
        let wanted = match self.column {
            Some(column) => Some(names.iter().position(|name| name == column)?),
            None => None,
        };
        let document = |(at, row): (usize, Vec<String>)| {
            if row.iter().all(|cell| cell.trim().is_empty()) {
                return None;
            }
            let name = |at: usize| names.get(at).filter(|name| !name.is_empty()).cloned();
            let named = |at: usize| name(at).unwrap_or_else(|| format!("column{}", at + 1));
            let text = match wanted {
                Some(at) => row.get(at).cloned().unwrap_or_default(),
                None => {
                    let cells = row.iter().enumerate();
                    let lines =
                        cells.map(|(at, cell)| format!("{}{}: {}", self.mark, named(at), cell.trim()));
                    lines.collect::<Vec<_>>().join("\n")
                }
            };
            let mut document = file.document(text);
            document.metadata.insert(self.number.to_owned(), (at + 1).into());
            if self.with_values {
                let values: Map<String, Value> =
                    row.into_iter().enumerate().map(|(at, cell)| (named(at), cell.into())).collect();
                // What the file says of itself stays what it is.
                for (name, value) in values {
                    document.metadata.entry(name).or_insert(value);
                }
            }
            Some(document)
        };
        Some(rows.enumerate().filter_map(document).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_what_would_end_a_cell() {
        let rows = csv("\u{feff}a,b\r\n\"x, \"\"y\"\"\nz\",2\n\n,\"\"\nlast");
        assert_eq!(rows, [vec!["a", "b"], vec!["x, \"y\"\nz", "2"], vec![""], vec!["", ""], vec!["last"]]);
        assert_eq!(csv("a;b\n1;2"), [["a", "b"], ["1", "2"]]);
        assert_eq!(csv("\"never closed,\n"), [["never closed,\n"]]);
        assert!(csv("").is_empty());
    }
}
