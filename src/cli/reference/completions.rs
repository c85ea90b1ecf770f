//! `flowkeep completions <shell>`: what a shell needs to complete commands and flags.

use super::{Cli, CliError, print};
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Prints the completion script of a shell
#[derive(clap::Args)]
pub(in crate::cli) struct CompletionsArgs {
    shell: Shell,
}

pub(in crate::cli) fn run(args: &CompletionsArgs) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "flowkeep", &mut script);
    print(&String::from_utf8_lossy(&script))
}
