//! The built page in `assets/dist` is the one that its source in `assets/ui` makes: proof without Node.
//!
//! `dist.sha256`, written by the build, holds one line `source <digest>` for the source and one `<digest>  <path>` for each
//! built file. A source that changed without a build, and a built file that was touched, both show here.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Folders of `assets/ui` that the build does not read.
const ASIDE: &[&str] = &["node_modules", "e2e"];

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// `<digest>  <path>` of every file under `folder`, sorted by path.
fn listing(folder: &Path, counts: &dyn Fn(&str) -> bool) -> Vec<String> {
    fn collect(
        folder: &Path,
        before: &str,
        counts: &dyn Fn(&str) -> bool,
        found: &mut Vec<(String, String)>,
    ) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{before}{}", entry.file_name().to_string_lossy());
            if !counts(&path) {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                collect(&entry.path(), &format!("{path}/"), counts, found);
            } else {
                found.push((path, hex(&fs::read(entry.path()).unwrap())));
            }
        }
    }
    let mut found = Vec::new();
    collect(folder, "", counts, &mut found);
    found.sort();
    found.into_iter().map(|(path, digest)| format!("{digest}  {path}")).collect()
}

/// A folder of a tool, such as its cache, is no source; a file whose name begins with a dot is.
fn is_source(root: &Path, path: &str) -> bool {
    let hidden_folder = path.rsplit('/').next().unwrap().starts_with('.') && root.join(path).is_dir();
    !ASIDE.contains(&path) && !hidden_folder
}

#[test]
fn the_built_page_is_the_one_its_source_makes() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let written = fs::read_to_string(assets.join("dist.sha256")).unwrap();
    let (source, built) = written.split_once('\n').unwrap();
    let ui = assets.join("ui");
    let lines: String =
        listing(&ui, &|path| is_source(&ui, path)).iter().fold(String::new(), |all, line| all + line + "\n");
    let found: Vec<String> = listing(&assets.join("dist"), &|_| true);
    assert_eq!(
        built.lines().collect::<Vec<_>>(),
        found,
        "a built file was touched: build the page again (`npm run build` in assets/ui)"
    );
    assert_eq!(
        source,
        format!("source {}", hex(lines.as_bytes())),
        "the source changed: build the page (`npm run build` in assets/ui)"
    );
}
