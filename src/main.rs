//! The program: hands its arguments, its environment and its place to the command line. Nothing else reads them.

use flowkeep::cli::{self, Place};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    let place = Place { folder: env::current_dir().ok(), program: env::current_exe().ok() };
    cli::run(env::args_os(), |name| env::var(name).ok(), place)
}
