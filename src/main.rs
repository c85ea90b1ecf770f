//! The program: hands its arguments, its environment and its place to the command line. Nothing else reads them.

use flowkeep::cli::{self, ProgramPaths};
use flowkeep::{documents, programs, script};
use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A worker is this program in a process of its own (`worker/`); it has no command line and no settings.
    match env::args_os().nth(1).as_ref().and_then(|word| word.to_str()) {
        Some(script::ROLE) => return script::work(),
        Some(documents::ROLE) => return documents::work(),
        // One that keeps a local program (`programs/`) has the words that it was started with.
        Some(programs::ROLE) => return programs::run_keeper(env::args_os().skip(2)),
        _ => {}
    }
    let program = env::current_exe().ok();
    let worker_program = script::worker_program(program.clone().unwrap_or_default());
    let variable_names = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
    let paths =
        ProgramPaths { current_dir: env::current_dir().ok(), program, worker_program, variable_names };
    cli::run(env::args_os(), |name| env::var(name).ok(), paths)
}
