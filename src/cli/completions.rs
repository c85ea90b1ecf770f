//! `flowkeep completions <shell>`: what a shell needs to complete commands and flags.

use super::{CliError, print};
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Prints the completion script of a shell
#[derive(clap::Args)]
pub(super) struct CompletionsArgs {
    shell: Shell,
}

pub(super) fn run(args: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Cli::command(), "flowkeep", &mut script);
    print(&String::from_utf8_lossy(&script))
}
