//! What models cost: a file of the operator, read once at the start.

use crate::domain::predictions::model_prices::ModelPrices;
use crate::settings::Settings;
use std::io::Read as _;

/// The largest list of prices (manual 14.9).
const MODEL_PRICES_BYTES_MAX: u64 = 1024 * 1024;

/// Why the list of prices that the operator named cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("SERVICE_MODEL_PRICES is {0}")]
pub struct PricesError(String);

/// The prices that the operator named; none without a file.
///
/// # Errors
/// When the file cannot be read, or holds no prices.
pub(crate) fn load(settings: &Settings) -> Result<ModelPrices, PricesError> {
    let Some(path) = &settings.model_prices else { return Ok(ModelPrices::default()) };
    let named = |why: String| PricesError(format!("{}, {why}", path.display()));
    let mut text = String::new();
    let read = std::fs::File::open(path)
        .and_then(|file| file.take(MODEL_PRICES_BYTES_MAX + 1).read_to_string(&mut text));
    read.map_err(|error| named(format!("which cannot be read: {error}")))?;
    if text.len() as u64 > MODEL_PRICES_BYTES_MAX {
        return Err(named("which is larger than 1 MiB".to_owned()));
    }
    ModelPrices::parse(&text).map_err(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Flags;

    #[test]
    fn a_file_that_holds_no_prices_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("prices.json");
        let told = |path: &std::path::Path| {
            let text = path.display().to_string();
            let named = |name: &str| match name {
                "SERVICE_MODEL_PRICES" => Some(text.clone()),
                "SERVICE_DATA_DIR" => Some(folder.path().display().to_string()),
                _ => None,
            };
            load(&Settings::from_vars(named, Flags::default()).unwrap()).map_err(|error| error.to_string())
        };
        let missing = told(&path).unwrap_err();
        assert!(
            missing.starts_with("SERVICE_MODEL_PRICES is ") && missing.contains("cannot be read"),
            "{missing}"
        );
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(told(&path), Ok(ModelPrices::default()));
        std::fs::write(&path, "7").unwrap();
        assert!(told(&path).unwrap_err().contains("no list of prices"));
    }
}
