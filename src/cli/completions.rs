//! `flowkeep completions <shell>`: what a shell needs to complete commands and flags.

use super::{Failure, say};
use clap::CommandFactory as _;
use clap_complete::Shell;

/// Prints the completion script of a shell
#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::Args::command(), "flowkeep", &mut script);
    say(&String::from_utf8_lossy(&script))
}
