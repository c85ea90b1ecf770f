//! `flowkeep status`: whether a service runs on the data folder, and what it is.

pub(super) mod doctor;
pub(super) mod healthcheck;

use super::operator::{ask_service, unexpected_reply};
use super::table::json_lines;
use super::{CliError, Context, print};
use crate::domain::remote::environment::Environment;
use crate::ops::service::control::OperatorCommand;
use crate::wire::service::operator::CommandReply;
use serde_json::json;
use std::net::SocketAddr;

/// Says whether the service runs, where it listens, and whether it is Dev or Prod
#[derive(clap::Args)]
pub(super) struct StatusArgs {
    /// Print it as JSON [env: SERVICE_JSON]
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &StatusArgs, context: &Context<'_>) -> Result<(), CliError> {
    let settings = context.settings_and_log()?;
    let Some(reply) = ask_service(&settings, &OperatorCommand::Status)? else {
        return Err(CliError::other("no service runs on this data folder"));
    };
    let CommandReply::Status { version, process_id, address, environment } = reply else {
        return Err(unexpected_reply());
    };
    if context.is_switched_on(args.json, "SERVICE_JSON") {
        return print(&json_lines(&json!({
            "version": version, "processId": process_id, "address": address, "environment": environment,
        }))?);
    }
    print(&render(&version, process_id, address, environment))
}

fn render(
    version: &str,
    process_id: u32,
    address: Option<SocketAddr>,
    environment: Option<Environment>,
) -> String {
    let place = address.map(|address| format!(" at {address}")).unwrap_or_default();
    let label = match environment {
        Some(Environment::Dev) => "Dev",
        Some(Environment::Prod) => "Prod",
        None => "not set",
    };
    format!("Flowkeep {version} runs{place} (process {process_id}).\nEnvironment: {label}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_is_told_with_the_place() {
        let address = "127.0.0.1:3000".parse().ok();
        let told = render("1.0.0", 7, address, Some(Environment::Prod));
        assert_eq!(told, "Flowkeep 1.0.0 runs at 127.0.0.1:3000 (process 7).\nEnvironment: Prod\n");
        assert!(render("1.0.0", 7, None, None).ends_with("Environment: not set\n"));
    }
}
