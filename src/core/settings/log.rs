//! What the log shows: a level for everything, and levels for single modules.

/// How much of a module's log is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogLevel {
    Off,
    Error,
    /// What may fail soon, and what was refused.
    Warn,
    Info,
    Debug,
    Trace,
}

impl LogLevel {
    fn parse(text: &str) -> Option<Self> {
        match text.trim().to_ascii_lowercase().as_str() {
            "off" => Some(Self::Off),
            "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "info" => Some(Self::Info),
            "debug" => Some(Self::Debug),
            "trace" => Some(Self::Trace),
            _ => None,
        }
    }
}

/// The rows of `SERVICE_LOG`, such as `info,flowkeep::net=debug`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter {
    /// The level of every module without a row of its own.
    pub level: LogLevel,
    /// Module paths with their own level; the longest path that fits decides.
    pub modules: Vec<(String, LogLevel)>,
}

impl LogFilter {
    #[must_use]
    pub const fn from_level(level: LogLevel) -> Self {
        Self { level, modules: Vec::new() }
    }

    /// Reads the rows; on failure returns the row that could not be read. Without a bare level, modules that
    /// are not named show warnings.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut filter = Self::from_level(LogLevel::Warn);
        for row in text.split(',').map(str::trim).filter(|row| !row.is_empty()) {
            let read = match row.split_once('=') {
                None => LogLevel::parse(row).map(|level| filter.level = level),
                Some((module, level)) if is_module(module.trim()) => {
                    LogLevel::parse(level).map(|level| filter.modules.push((module.trim().to_owned(), level)))
                }
                Some(_) => None,
            };
            read.ok_or_else(|| row.to_owned())?;
        }
        Ok(filter)
    }
}

fn is_module(text: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    text.split("::").all(word)
}

/// The form of a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// `Human` when the log goes to a terminal, `Json` otherwise.
    Auto,
    Human,
    Json,
}

impl LogFormat {
    pub(super) fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Some(Self::Auto),
            "human" => Some(Self::Human),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_modules_and_one_level_is_for_the_rest() {
        let filter = LogFilter::parse(" info, flowkeep::net=DEBUG ,hyper=off").unwrap();
        assert_eq!(filter.level, LogLevel::Info);
        let expected = [("flowkeep::net".to_owned(), LogLevel::Debug), ("hyper".to_owned(), LogLevel::Off)];
        assert_eq!(filter.modules, expected);
        assert_eq!(LogFilter::parse("flowkeep=trace").unwrap().level, LogLevel::Warn);
    }

    #[test]
    fn a_row_that_is_neither_is_named() {
        for bad in ["loud", "flowkeep=loud", "=info", "flow keep=info", "a:b=info", "a::=info"] {
            assert_eq!(LogFilter::parse(&format!("info,{bad}")), Err(bad.to_owned()), "{bad}");
        }
    }
}
