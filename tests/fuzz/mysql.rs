//! What MySQL servers say: their greeting, and answers to statements in both forms.

use crate::{fuzz, seeds};
use flowkeep::mysql::{MySqlLimits, RowFormat, ServerGreeting, read};
use std::time::Duration;

#[test]
fn answers_of_mysql_servers() {
    let bounds = MySqlLimits { time: Duration::from_secs(1), rows: 50, bytes: 20_000 };
    fuzz("mysql", seeds("mysql"), &["\u{fe}\0\0\u{2}\0", "#42000", "\u{fb}", "\u{c}"], |input| {
        let told = |format| match read(&mut &input[..], format, &bounds) {
            Ok(answer) => {
                assert!(answer.rows.len() <= 50);
                let cells = answer.rows.iter().flatten().flatten().map(Vec::len).sum::<usize>();
                // A number written by its type is longer as text, but by no more than this.
                assert!(cells <= 20_000 * 8);
                format!("{} {}", answer.columns.len(), answer.rows.len())
            }
            Err(error) => format!("{error}"),
        };
        (told(RowFormat::Text), told(RowFormat::Binary), ServerGreeting::parse(input).is_ok())
    });
}
