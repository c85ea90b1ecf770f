//! The commands that the README and the manual print: blocks for a shell, and commands of the program in running text.

use std::fs;
use std::path::{Path, PathBuf};

/// A piece of text that a reader may paste into a shell.
#[derive(Debug)]
pub struct PrintedCommand {
    /// The file and line where it stands, such as `README.md:58`.
    pub place: String,
    /// One line, or the lines of a block that set what later ones of it read.
    pub text: String,
}

/// Everything that the README and the pages of the manual print, in the order in which it stands there.
pub fn all() -> Vec<PrintedCommand> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> = fs::read_dir(root.join("assets/manual"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages.insert(0, root.join("README.md"));
    pages.iter().flat_map(|page| of_page(page)).collect()
}

fn of_page(page: &Path) -> Vec<PrintedCommand> {
    let name = page.file_name().unwrap().to_string_lossy();
    let text = fs::read_to_string(page).unwrap();
    let mut found = Vec::new();
    // The language of the block that a line stands in.
    let mut block: Option<&str> = None;
    let mut shell = String::new();
    for (index, line) in text.lines().enumerate() {
        let place = || format!("{name}:{}", index + 1);
        match (block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some(language),
            (Some(language), Some(_)) => {
                if language == "sh" {
                    found.push(PrintedCommand { place: place(), text: std::mem::take(&mut shell) });
                }
                block = None;
            }
            (Some("sh"), None) => {
                shell.push_str(line);
                shell.push('\n');
            }
            (Some(_), None) => {}
            (None, None) => found.extend(
                in_backticks(line)
                    .filter(|code| code.starts_with("flowkeep "))
                    .map(|code| PrintedCommand { place: place(), text: code.to_owned() }),
            ),
        }
    }
    found
}

/// What stands between single backticks in a line.
fn in_backticks(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}
