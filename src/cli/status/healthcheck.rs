//! `flowkeep healthcheck`: whether the service can answer, for whatever starts it anew when it cannot.

use crate::cli::ask::{named_service, service_address, to_hint};
use crate::cli::client::ApiClient;
use crate::cli::{CliError, Context};
use std::time::Duration;

/// The longest that a service may take to say that it is ready.
const READY_SECONDS: u64 = 3;

/// Ends with 0 when the service answers and its database can be read, for containers and monitors
#[derive(clap::Args)]
pub(in crate::cli) struct HealthcheckArgs {
    /// Address of the service [env: SERVICE_URL] [default: where the service of the data folder listens]
    #[arg(long)]
    url: Option<String>,
}

pub(in crate::cli) fn run(args: &HealthcheckArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    let base = named_service(&args.url, context)?.unwrap_or_else(|| service_address(&settings));
    let service = ApiClient::new(&base, None, &settings).map_err(CliError::other)?;
    let asked = service.check_ready(Duration::from_secs(READY_SECONDS));
    asked.map_err(|error| CliError::Failed(format!("{error}{}", to_hint(&error, &base))))
}
