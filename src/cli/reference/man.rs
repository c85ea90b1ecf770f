//! `flowkeep man`: pages for `man`, made of the same definitions as `--help`.

use super::{Cli, CliError, print};
use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Prints the manual page, or writes a page for each command
#[derive(clap::Args)]
pub(in crate::cli) struct ManArgs {
    /// Folder that is made where it is missing, for a page of each command
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

pub(in crate::cli) fn run(args: &ManArgs) -> Result<(), CliError> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Flags of every command reach the pages of all of them this way.
    program.build();
    match &args.folder {
        None => print(&String::from_utf8_lossy(&page(&program).map_err(CliError::other)?.text)),
        Some(folder) => fs::create_dir_all(folder)
            .and_then(|()| write_pages(&program, folder))
            .map_err(|error| CliError::Failed(format!("{} could not be written: {error}", folder.display()))),
    }
}

/// A page, and the name under which `man` finds it.
struct Page {
    file_name: String,
    text: Vec<u8>,
}

/// Writes the page of a command and those of the commands below it.
fn write_pages(command: &Command, folder: &Path) -> io::Result<()> {
    let page = page(command)?;
    fs::write(folder.join(page.file_name), page.text)?;
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_for_each(|inner| write_pages(inner, folder))
}

fn page(command: &Command) -> io::Result<Page> {
    // An empty date: the same source makes the same page on every day, and what follows keeps its place.
    let man = Man::new(command.clone())
        .date("\"\"")
        .source(concat!("flowkeep ", env!("CARGO_PKG_VERSION")))
        .manual("Flowkeep");
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok(Page { file_name: man.get_filename(), text })
}
