//! What this process writes into its log, and the spans that it opens. There is one listener for all tests that run at once, so a
//! test names the word by which it knows its own.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use tracing::Level;
use tracing_subscriber::fmt::format::FmtSpan;

/// Lines and spans that hold a word that some test listens for.
static HEARD: Mutex<Heard> = Mutex::new(Heard { words: Vec::new(), lines: Vec::new() });

struct Heard {
    words: Vec<String>,
    lines: Vec<String>,
}

fn heard() -> MutexGuard<'static, Heard> {
    HEARD.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Listener;

impl Write for Listener {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let mut heard = heard();
        if heard.words.iter().any(|word| text.contains(word)) {
            heard.lines.push(text.into_owned());
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Listens for this word from here on.
pub fn listen(word: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let log = tracing_subscriber::fmt().with_max_level(Level::DEBUG).with_span_events(FmtSpan::NEW);
        let _ = log.with_ansi(false).with_writer(|| Listener).try_init();
    });
    {
        let mut heard = heard();
        if heard.words.iter().any(|known| known == word) {
            return;
        }
        heard.words.push(word.to_owned());
    }
    tracing::debug!("{word}: this line is heard");
    assert!(!take(word).is_empty(), "the log is looked at");
}

/// The lines and spans with this word since the last time.
pub fn take(word: &str) -> Vec<String> {
    let mut heard = heard();
    let (taken, left) = std::mem::take(&mut heard.lines).into_iter().partition(|line| line.contains(word));
    heard.lines = left;
    taken
}
