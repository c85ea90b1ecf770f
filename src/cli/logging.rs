//! The log: readable lines on a terminal, JSON lines otherwise, always on standard error. No line is longer than 8 KiB
//! and none holds a control character, whatever was logged (manual 12.10).

use crate::base::recent_log::RECENT_LOG;
use crate::domain::service::log_line::{Gravity, LogLine};
use crate::settings::{LogFilter, LogFormat, LogLevel, Settings};
use crate::traces::{self, SpanLayer};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::fmt::Debug;
use std::io::{self, IsTerminal as _};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

/// Longest line of the log (manual 14.2).
const LOG_LINE_MAX_BYTES: usize = 8 * 1024;
/// Longest message, and longest value beside it, of a line of the log that is kept in memory (manual 14.2).
const KEPT_TEXT_MAX_CHARS: usize = 1_000;
/// Most values of a line of the log that is kept in memory (manual 14.2).
const KEPT_FIELDS_MAX_COUNT: usize = 16;

/// Starts the log; `level` is what it shows when nothing is set. Later calls change nothing. `spans` listens beside it.
pub(super) fn start(settings: &Settings, level: LogLevel, spans: Option<SpanLayer>) {
    let filter = targets(settings.log.clone().unwrap_or_else(|| LogFilter::from_level(level)));
    let json = match settings.log_format {
        LogFormat::Json => true,
        LogFormat::Human => false,
        LogFormat::Auto => !io::stderr().is_terminal(),
    };
    let registry = tracing_subscriber::registry()
        .with(spans.map(|spans| spans.with_filter(SpanLayer::filter())))
        .with(RecentLines.with_filter(filter.clone()));
    let layer = fmt::layer().with_ansi(false).with_writer(StderrLines { json });
    // Only a second start can fail, and the first one then goes on.
    let _ = if json {
        let layer = layer.json().flatten_event(true).with_filter(filter);
        tracing::subscriber::set_global_default(registry.with(layer))
    } else {
        tracing::subscriber::set_global_default(registry.with(layer.with_filter(filter)))
    };
}

fn targets(filter: LogFilter) -> Targets {
    let modules = filter.modules.into_iter().map(|(module, level)| (module, level_filter(level)));
    let all = Targets::new().with_default(level_filter(filter.level)).with_targets(modules);
    // Spans are for the collector: no log line repeats them.
    all.with_target(traces::TARGET, LevelFilter::OFF)
}

const fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

/// Keeps the lines of the log in memory for the owner: those that it shows, but for what only who looks for a fault reads.
struct RecentLines;

impl<S: Subscriber> Layer<S> for RecentLines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let about = event.metadata();
        let gravity = match *about.level() {
            Level::ERROR => Gravity::Error,
            Level::WARN => Gravity::Warn,
            Level::INFO => Gravity::Info,
            _ => return,
        };
        let mut text = LineText::default();
        event.record(&mut text);
        let LineText { message, fields } = text;
        RECENT_LOG.push(LogLine { at: Timestamp::now(), gravity, target: about.target(), message, fields });
    }
}

/// What an event says.
#[derive(Default)]
struct LineText {
    message: String,
    fields: Vec<(&'static str, String)>,
}

impl Visit for LineText {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.note(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.note(field, value);
    }
}

impl LineText {
    fn note(&mut self, field: &Field, value: &str) {
        let escaped: String = value.chars().take(KEPT_TEXT_MAX_CHARS + 1).map(shown_char).collect();
        let mut shown: String = escaped.chars().take(KEPT_TEXT_MAX_CHARS).collect();
        if shown.len() < escaped.len() {
            shown.push('…');
        }
        if field.name() == "message" {
            self.message = shown;
        } else if self.fields.len() < KEPT_FIELDS_MAX_COUNT {
            self.fields.push((field.name(), shown));
        }
    }
}

struct StderrLines {
    json: bool,
}

impl<'a> MakeWriter<'a> for StderrLines {
    type Writer = StderrLine;

    fn make_writer(&'a self) -> StderrLine {
        StderrLine { json: self.json }
    }
}

/// Takes one event, which arrives as one write.
struct StderrLine {
    json: bool,
}

impl io::Write for StderrLine {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = if self.json { json_line(text.trim_end()) } else { human_line(text.trim_end()) };
        io::stderr().lock().write_all(line.as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A character, or its name where it would move a cursor.
fn shown_char(c: char) -> String {
    if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
}

fn human_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LOG_LINE_MAX_BYTES) + 1);
    for c in text.chars() {
        let shown = shown_char(c);
        if line.len() + shown.len() + "…\n".len() > LOG_LINE_MAX_BYTES {
            line.push('…');
            break;
        }
        line.push_str(&shown);
    }
    line.push('\n');
    line
}

fn json_line(text: &str) -> String {
    // JSON escapes control characters below 0x20 itself; the ones above stay, and are as dangerous on a terminal.
    let mut line = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c.is_control() {
            line.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            line.push(c);
        }
    }
    if line.len() >= LOG_LINE_MAX_BYTES {
        line = shorten(&line);
    }
    line.push('\n');
    line
}

/// A line that is too long keeps when, how grave and where, and the beginning of its message.
fn shorten(line: &str) -> String {
    let event: Value = serde_json::from_str(line).unwrap_or_default();
    let start = |field: &str, most: usize| {
        event[field].as_str().unwrap_or_default().chars().take(most).collect::<String>()
    };
    // A character takes at most six bytes when escaped, so this stays below the limit.
    json!({
        "timestamp": start("timestamp", 40), "level": start("level", 8), "target": start("target", 100),
        "message": start("message", 1_000), "shortened": true,
    })
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_human_line_is_one_line_of_bounded_length() {
        assert_eq!(human_line("a\nb\u{1b}[2J\u{9b}x"), "a\\nb\\u{1b}[2J\\u{9b}x\n");
        for filler in ["x", "é", "\n", "\u{1F600}"] {
            let line = human_line(&filler.repeat(LOG_LINE_MAX_BYTES));
            assert!(line.len() <= LOG_LINE_MAX_BYTES && line.ends_with("…\n"), "{filler:?} {}", line.len());
        }
    }

    #[test]
    fn a_json_line_stays_json() {
        let event = |message: &str| {
            json!({"timestamp": "t", "level": "INFO", "target": "x", "message": message}).to_string()
        };
        let short: Value = serde_json::from_str(&json_line(&event("a\u{9b}b"))).unwrap();
        assert_eq!(short["message"], "a\u{9b}b");
        assert!(!json_line(&event("a\u{9b}\u{7f}\nb")).trim_end().chars().any(char::is_control));
        for filler in ["x", "\u{1}", "\u{1F600}"] {
            let line = json_line(&event(&filler.repeat(LOG_LINE_MAX_BYTES)));
            let value: Value = serde_json::from_str(&line).unwrap();
            assert!(
                line.len() <= LOG_LINE_MAX_BYTES && value["shortened"] == true && value["level"] == "INFO"
            );
        }
    }

    #[test]
    fn the_longest_module_path_decides() {
        let filter = LogFilter {
            level: LogLevel::Info,
            modules: vec![
                ("flowkeep::net".to_owned(), LogLevel::Debug),
                ("flowkeep::net::guard".to_owned(), LogLevel::Off),
            ],
        };
        let targets = targets(filter);
        assert!(targets.would_enable("flowkeep::net::mod", &tracing::Level::DEBUG));
        assert!(!targets.would_enable("flowkeep::net::guard", &tracing::Level::ERROR));
        assert!(!targets.would_enable("flowkeep::http", &tracing::Level::DEBUG));
    }
}
