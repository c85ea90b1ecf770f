//! Where spans go: the standard variables of OpenTelemetry, as far as they mean something here.

use super::SettingsError;
use super::parse::{ParseResult, SettingsReader, in_range, parse_error};
use percent_encoding::percent_decode_str;
use std::time::Duration;

/// Where and how spans are exported.
#[derive(Clone, PartialEq)]
pub struct TraceSettings {
    /// `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, or `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces` behind it.
    pub endpoint: String,
    /// `OTEL_EXPORTER_OTLP_TRACES_HEADERS`, or `OTEL_EXPORTER_OTLP_HEADERS`: often a secret of the operator.
    pub headers: Vec<(String, String)>,
    /// `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
    pub resource: Vec<(String, String)>,
    /// `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`.
    pub sampler: Sampler,
    /// `OTEL_BSP_MAX_QUEUE_SIZE`: spans that may wait.
    pub queue: usize,
    /// `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`: spans in one request.
    pub batch: usize,
    /// `OTEL_BSP_SCHEDULE_DELAY`: the longest a span waits.
    pub delay: Duration,
    /// `OTEL_BSP_EXPORT_TIMEOUT`: the longest a request takes.
    pub timeout: Duration,
}

/// Which traces are exported.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampler {
    /// The share of the traces that begin here, 0 to 1.
    pub share: f64,
    /// A caller that brings a trace along says whether it is exported.
    pub follows_caller: bool,
}

const SERVICE: &str = "service.name";
const QUEUE_RANGE: (u64, u64) = (1, 100_000);
const MILLIS_RANGE: (u64, u64) = (1, 600_000);

/// `None` where no endpoint is named, or `OTEL_SDK_DISABLED` is true.
pub(super) fn read(reader: &SettingsReader<'_>) -> Result<Option<TraceSettings>, SettingsError> {
    if reader.text("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let whole = reader.read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", parse_address)?;
    let base = reader.read("OTEL_EXPORTER_OTLP_ENDPOINT", parse_address)?;
    let Some(endpoint) = whole.or_else(|| Some(format!("{}/v1/traces", base?.trim_end_matches('/')))) else {
        return Ok(None);
    };
    let headers = match reader.read_secret("OTEL_EXPORTER_OTLP_TRACES_HEADERS", parse_pairs)? {
        Some(headers) => headers,
        None => reader.read_secret("OTEL_EXPORTER_OTLP_HEADERS", parse_pairs)?.unwrap_or_default(),
    };
    let mut resource = reader.read("OTEL_RESOURCE_ATTRIBUTES", parse_pairs)?.unwrap_or_default();
    let named = reader.text("OTEL_SERVICE_NAME");
    if named.is_some() || !resource.iter().any(|(name, _)| name == SERVICE) {
        resource.retain(|(name, _)| name != SERVICE);
        resource.push((SERVICE.to_owned(), named.unwrap_or_else(|| "flowkeep".to_owned())));
    }
    let number = |name: &str, range, usual: u64| {
        Ok::<_, SettingsError>(reader.read(name, |text| in_range(text, range))?.unwrap_or(usual))
    };
    let millis = |name: &str, usual| number(name, MILLIS_RANGE, usual).map(Duration::from_millis);
    let size = |name: &str, usual| {
        number(name, QUEUE_RANGE, usual).map(|size| usize::try_from(size).unwrap_or(usize::MAX))
    };
    Ok(Some(TraceSettings {
        endpoint,
        headers,
        resource,
        sampler: sampler(reader)?,
        queue: size("OTEL_BSP_MAX_QUEUE_SIZE", 2_048)?,
        batch: size("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)?,
        delay: millis("OTEL_BSP_SCHEDULE_DELAY", 5_000)?,
        timeout: millis("OTEL_BSP_EXPORT_TIMEOUT", 30_000)?,
    }))
}

fn sampler(reader: &SettingsReader<'_>) -> Result<Sampler, SettingsError> {
    let share = reader.read("OTEL_TRACES_SAMPLER_ARG", parse_share)?.unwrap_or(1.0);
    let known = |text: &str| {
        let (follows_caller, rule) =
            text.strip_prefix("parentbased_").map_or((false, text), |rule| (true, rule));
        let share = match rule {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => share,
            _ => {
                return parse_error(
                    "is no sampler",
                    "write always_on, always_off or traceidratio, with parentbased_ before it where callers decide",
                );
            }
        };
        Ok(Sampler { share, follows_caller })
    };
    let read = reader.read("OTEL_TRACES_SAMPLER", known)?;
    Ok(read.unwrap_or(Sampler { share: 1.0, follows_caller: true }))
}

fn parse_share(text: &str) -> ParseResult<f64> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => parse_error("is no share", "write a number from 0 to 1"),
    }
}

fn parse_address(text: &str) -> ParseResult<String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Ok(text.to_owned());
    }
    parse_error("is no address of a collector", "write one such as http://127.0.0.1:4318")
}

/// `name=value,name=value`, percent-encoded where it must be.
fn parse_pairs(text: &str) -> ParseResult<Vec<(String, String)>> {
    let decoded =
        |text: &str| percent_decode_str(text.trim()).decode_utf8().ok().map(|text| text.into_owned());
    let pair = |row: &str| {
        let (name, value) = row.split_once('=')?;
        Some((decoded(name).filter(|name| !name.is_empty())?, decoded(value)?))
    };
    let rows = text.split(',').filter(|row| !row.trim().is_empty());
    let read: Option<Vec<(String, String)>> = rows.map(pair).collect();
    read.map_or_else(
        || parse_error("is no list of names and values", "write name=value, with commas between"),
        Ok,
    )
}
