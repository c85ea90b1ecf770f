//! The house rules of `ARCHITECTURE.md` as a test. Each broken rule is one line: where, and which rule.
#![allow(clippy::unwrap_used, reason = "a test that cannot read its input has failed")]

use floors::{BESIDE, FLOORS, HOMES, LIBRARIES, Library, ONLY, SHARED_FLOORS};
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Longest source file.
const LINES_MAX: usize = 500;

/// What may lie beside `src`, next to files whose name begins with a dot.
const TOP_LEVEL: &[&str] = &[
    "Cargo.toml",
    "Cargo.lock",
    "src",
    "assets",
    "tests",
    "packaging",
    "install.sh",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "build.rs",
    "target",
];

const NAMELESS: &[&str] = &["utils", "util", "helpers", "helper", "common", "types"];

/// Marks of unfinished work.
const MARKERS: &str = r"\btodo!|\bunimplemented!|\bdbg!|\bTODO\b|\bFIXME\b|\bXXX\b|\bHACK\b|(?i:\bfor now\b|\bnot implemented\b)";

/// A pattern that is compiled once, however many files it reads.
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(&$text).unwrap());
        &*PATTERN
    }};
}

#[path = "tidy/crates.rs"]
mod crates;
#[path = "tidy/file_creation.rs"]
mod file_creation;
#[path = "tidy/floors.rs"]
mod floors;
#[path = "tidy/inventories.rs"]
mod inventories;
#[path = "tidy/limits.rs"]
mod limits;
#[path = "tidy/manual.rs"]
mod manual;
#[path = "tidy/words.rs"]
mod words;

use crates::{log_targets, rooms_alone, unused_outside};
use file_creation::one_room_for_files;
use inventories::{cards, map};
use manual::papers;
use words::{halls, words};

struct Source {
    /// From the project's folder, with `/`.
    path: String,
    text: String,
    /// The text with comments and the insides of literals blanked; line breaks stay.
    code: String,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { code_of(text) } else { String::new() };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The library that it is of.
    fn library(&self) -> Option<&'static Library> {
        let inside = self.path.strip_prefix("src/")?;
        LIBRARIES.iter().find(|library| inside.starts_with(library.folder))
    }

    /// The path from the folder that holds the rooms: `src`, or a library of several rooms in it.
    fn path_of_rooms(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let library = self.library().filter(|library| library.has_rooms);
        library.map_or(Some(inside), |library| inside.strip_prefix(library.folder))
    }

    /// The room: the first folder or file of that path.
    fn room(&self) -> Option<&str> {
        let inside = self.path_of_rooms()?;
        Some(inside.split_once('/').map_or_else(|| inside.trim_end_matches(".rs"), |(room, _)| room))
    }

    fn at(&self, offset: usize, rule: &str) -> String {
        let line = self.code[..offset].matches('\n').count() + 1;
        format!("{}:{line}: {rule}", self.path)
    }
}

/// Blanks comments and the insides of text and character literals, so that a word in them is no use of anything.
fn code_of(text: &str) -> String {
    let literal = pattern!(
        r##"(?s)//[^\n]*|/\*.*?\*/|b?r#"(?:.*?)"#|b?r"[^"]*"|b?"(?:\\.|[^"\\])*"|b?'(?:\\[^\n]{1,10}?|[^'\\\n])'"##
    );
    let blank = |found: &regex::Captures<'_>| -> String {
        found[0].chars().map(|c| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) }).collect()
    };
    literal.replace_all(text, blank).into_owned()
}

/// Every `crate::room` of the code, with its place: plain paths, and each entry of a `crate::{..}` group.
fn uses(code: &str) -> Vec<(usize, String)> {
    let path = pattern!(r"\bcrate\s*::\s*(\{|[a-z_0-9]+)");
    let mut found = Vec::new();
    for hit in path.captures_iter(code) {
        let name = hit.get(1).unwrap();
        if name.as_str() != "{" {
            found.push((name.start(), name.as_str().to_owned()));
            continue;
        }
        let (mut depth, mut entry) = (1, true);
        for word in pattern!(r"[{},]|[A-Za-z_0-9]+").find_iter(&code[name.end()..]) {
            match word.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                "," => entry = depth == 1 || entry,
                room if entry && depth == 1 => {
                    found.push((name.end() + word.start(), room.to_owned()));
                    entry = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().find(|(_, rooms)| rooms.contains(&room)).map(|(floor, _)| *floor)
}

fn floors(source: &Source) -> Vec<String> {
    let Some(room) = source.room().filter(|_| source.is_rust()) else { return Vec::new() };
    let Some(own) = floor(room) else {
        return vec![
            source.at(0, &format!("the room `{room}` stands on no floor; give it one in tests/tidy.rs")),
        ];
    };
    let mut broken = Vec::new();
    for (offset, used) in uses(&source.code) {
        let Some(other) = floor(&used).filter(|_| used != room) else { continue };
        let beside = SHARED_FLOORS.contains(&own) || BESIDE.contains(&(room, used.as_str()));
        let below = other < own || (other == own && beside);
        let admitted =
            ONLY.iter().find(|(name, _)| *name == room).is_none_or(|(_, only)| only.contains(&used.as_str()));
        if !below {
            broken.push(source.at(
                offset,
                &format!("`{room}` (floor {own}) uses `{used}` (floor {other}), which is not below it"),
            ));
        } else if !admitted {
            broken.push(
                source.at(offset, &format!("`{room}` may not use `{used}`; go through a room between them")),
            );
        }
    }
    broken
}

fn packages() -> String {
    HOMES.iter().map(|(package, _)| *package).collect::<Vec<_>>().join("|")
}

fn homes(source: &Source) -> Vec<String> {
    if source.room().is_none() || !source.is_rust() {
        return Vec::new();
    }
    let package =
        pattern!(format!(r"(?:^|[^:\w])(?:::)?({0})\s*::|\buse\s+({0})\s*(?:;|\bas\b)", packages()));
    let mut broken = Vec::new();
    for hit in package.captures_iter(&source.code) {
        let name = hit.get(1).or_else(|| hit.get(2)).unwrap();
        let (_, homes) = HOMES.iter().find(|(package, _)| *package == name.as_str()).unwrap();
        if !homes.iter().any(|home| source.path.starts_with(home)) {
            let rule = format!("`{}` lives in {} only", name.as_str(), homes.join(" and "));
            broken.push(source.at(name.start(), &rule));
        }
    }
    broken
}

fn environment(source: &Source) -> Vec<String> {
    // Tests are told by the environment to write what they compare with.
    let is_test = source.path.ends_with("/tests.rs") || source.path.contains("/tests/");
    if source.room().is_none_or(|room| room == "main") || !source.is_rust() || is_test {
        return Vec::new();
    }
    let reads = pattern!(r"\bstd\s*::\s*env\b|\bstd\s*::\s*\{[^;]*\benv\b");
    reads
        .find_iter(&source.code)
        .map(|hit| source.at(hit.start(), "only src/main.rs reads the environment"))
        .collect()
}

/// Operations take and give nouns. Those named here make a file, or what a program prints, of the rows of the API.
const OPS_WITH_ROWS: &[&str] =
    &["src/ops/workspace/transfer/", "src/ops/service/control.rs", "src/ops/service/demo/drawing.rs"];

fn check_wire_in_ops(source: &Source) -> Vec<String> {
    let is_allowed = OPS_WITH_ROWS.iter().any(|place| source.path.starts_with(place));
    if !source.path.starts_with("src/ops/") || is_allowed {
        return Vec::new();
    }
    let uses = pattern!(r"\bcrate\s*::\s*wire\b");
    let rule = "an operation takes and gives nouns of domain/: JSON is made at the door";
    uses.find_iter(&source.code).map(|hit| source.at(hit.start(), rule)).collect()
}

fn check_one_writer_of_live(source: &Source) -> Vec<String> {
    if !source.path.starts_with("src/") || source.path == "src/ops/flows/live.rs" || !source.is_rust() {
        return Vec::new();
    }
    let change = pattern!(r"\bFLOWS\s*\.\s*(put|remove)\b");
    change
        .find_iter(&source.code)
        .map(|hit| source.at(hit.start(), "Live changes in src/ops/flows/live.rs only"))
        .collect()
}

fn length(source: &Source) -> Vec<String> {
    let lines = source.text.lines().count();
    let written = [".rs", ".ts", ".tsx", ".css"].iter().any(|ending| source.path.ends_with(ending));
    // What a program made from another file is not read by people.
    let counts = written && !source.path.ends_with(".d.ts");
    let rule = format!("{lines} lines are more than {LINES_MAX}: divide the room");
    if counts && lines > LINES_MAX { vec![format!("{}:{lines}: {rule}", source.path)] } else { Vec::new() }
}

fn opening(source: &Source) -> Vec<String> {
    if !source.is_rust() || source.text.starts_with("//! ") {
        return Vec::new();
    }
    vec![format!("{}:1: a //! comment that says what the file is for opens every file", source.path)]
}

fn names(source: &Source) -> Vec<String> {
    let parts = source.path.split('/').map(|part| part.split_once('.').map_or(part, |(stem, _)| stem));
    let nameless = parts.filter(|part| NAMELESS.contains(part));
    nameless.map(|part| format!("{}:1: `{part}` names no room; find the noun", source.path)).collect()
}

fn leftovers(source: &Source) -> Vec<String> {
    if source.path == "tests/tidy.rs" {
        return Vec::new();
    }
    let marker = pattern!(MARKERS);
    let lines = source.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| Some((at + 1, marker.find(line)?.as_str())));
    found
        .map(|(line, mark)| {
            format!("{}:{line}: `{mark}` marks unfinished work: finish it or open an issue", source.path)
        })
        .collect()
}

fn top_level(root: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let strange = entries.filter(|name| !name.starts_with('.') && !TOP_LEVEL.contains(&name.as_str()));
    strange.map(|name| format!("{name}:1: does not belong on the top level")).collect()
}

fn collect(root: &Path, folder: &str, sources: &mut Vec<Source>) {
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    for entry in entries {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        let skipped =
            ["/node_modules", "/golden", "/dist", "/__pycache__"].iter().any(|ending| path.ends_with(ending));
        if entry.file_type().unwrap().is_dir() {
            if !skipped {
                collect(root, &path, sources);
            }
        } else if [".rs", ".ts", ".tsx", ".css", ".sh", ".py"].iter().any(|ending| path.ends_with(ending)) {
            sources.push(Source::new(&path, &fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

#[test]
fn the_house_rules_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["src", "tests", "assets", "packaging", ".ci"] {
        collect(root, folder, &mut sources);
    }
    let each: &[fn(&Source) -> Vec<String>] = &[
        floors,
        homes,
        environment,
        check_one_writer_of_live,
        check_wire_in_ops,
        one_room_for_files,
        log_targets,
        rooms_alone,
        length,
        opening,
        names,
        leftovers,
        papers,
        words,
    ];
    let mut broken: Vec<String> =
        sources.iter().flat_map(|source| each.iter().flat_map(move |rule| rule(source))).collect();
    broken.extend(cards(&sources));
    broken.extend(map(&sources));
    broken.extend(halls(&sources));
    broken.extend(unused_outside(&sources));
    broken.extend(top_level(root));
    broken.sort();
    let mut report = String::new();
    for line in &broken {
        writeln!(report, "  {line}").unwrap();
    }
    assert!(broken.is_empty(), "{} broken house rules:\n{report}", broken.len());
}

/// The rules themselves, on samples: what each must catch, and what it must let be.
mod samples {
    use super::*;

    fn broken_rules(rule: fn(&Source) -> Vec<String>, path: &str, text: &str) -> Vec<String> {
        rule(&Source::new(path, text))
    }

    #[test]
    fn uses_are_found_in_paths_and_groups_but_not_in_comments_and_texts() {
        let text = "use crate::{\n  store::{Store, http},\n  domain::ids,\n};\nfn f() { crate::ops::x(); }\n\
                    // crate::engine\nlet a = \"crate::cli\"; let b = '\"'; let c = r#\"crate::tasks\"#;\n/* crate::app */ pub(crate) fn g() {}";
        let found: Vec<String> = uses(&code_of(text)).into_iter().map(|(_, room)| room).collect();
        assert_eq!(found, ["store", "domain", "ops"]);
    }

    #[test]
    fn a_use_must_go_down() {
        let rows: &[(&str, &str, usize)] = &[
            ("src/core/domain/flows/flow.rs", "use crate::clock::Clock;", 0),
            ("src/core/domain/flows/flow.rs", "use crate::net::X;", 1),
            ("src/adapters/store/mod.rs", "use crate::state::X;", 1),
            ("src/engine/run.rs", "use crate::cards::X; use crate::store::Y;", 1),
            ("src/cards/tools/a.rs", "use crate::state::RateLimiter;", 1),
            ("src/core/script/run.rs", "use crate::net::X; use crate::worker::Y;", 0),
            ("src/core/net/mod.rs", "use crate::script::X;", 1),
            ("src/core/domain/a.rs", "use crate::worker::X;", 1),
            ("src/core/worker/pool.rs", "use crate::domain::X; use crate::settings::Y;", 1),
            ("src/app.rs", "use crate::ops::owner;", 0),
            ("src/http/connection/server.rs", "use crate::ops::x; use crate::tasks::y;", 1),
            ("src/http/connection/server.rs", "fn f(s: &crate::store::Store) {}", 1),
            ("src/cli/serve.rs", "use crate::http::server; use crate::llm::x;", 1),
            ("src/attic.rs", "", 1),
            ("src/core/attic/mod.rs", "", 1),
            ("src/adapters/attic.rs", "", 1),
        ];
        for (path, text, count) in rows {
            let found = broken_rules(floors, path, text);
            assert_eq!(found.len(), *count, "{path}: {text}: {found:?}");
        }
        assert!(
            broken_rules(floors, "src/adapters/llm/mod.rs", "\n\nuse crate::store::X;")[0]
                .starts_with("src/adapters/llm/mod.rs:3: ")
        );
    }

    #[test]
    fn packages_environment_and_live_have_one_place() {
        assert_eq!(
            broken_rules(homes, "src/ops/a.rs", "use redb::Database;\nlet x = tokio::spawn(y);\nuse clap;")
                .len(),
            3
        );
        assert!(broken_rules(homes, "src/adapters/store/a.rs", "use redb::Database;").is_empty());
        assert!(broken_rules(homes, "src/ops/a.rs", "my::redb::x(); let redbx = 1; // redb::x").is_empty());
        assert_eq!(
            broken_rules(environment, "src/cli/a.rs", "use std::env;\nuse std::{fs, env};\nstd::env::var(x)")
                .len(),
            3
        );
        assert!(broken_rules(environment, "src/main.rs", "use std::env;").is_empty());
        assert!(broken_rules(environment, "src/a.rs", "env!(x); tempfile::env::temp_dir()").is_empty());
        assert_eq!(
            broken_rules(check_one_writer_of_live, "src/ops/a.rs", "FLOWS\n    .put(tx)?; FLOWS.get(tx)")
                .len(),
            1
        );
        assert!(broken_rules(check_one_writer_of_live, "src/ops/flows/live.rs", "FLOWS.put(tx)").is_empty());
        let view = "use crate::wire::page::Page;";
        assert_eq!(broken_rules(check_wire_in_ops, "src/ops/flows/mod.rs", view).len(), 1);
        assert!(broken_rules(check_wire_in_ops, "src/ops/workspace/transfer/export.rs", view).is_empty());
    }

    #[test]
    fn files_are_short_named_and_finished() {
        assert_eq!(broken_rules(length, "src/a.rs", &"x\n".repeat(501)).len(), 1);
        assert!(broken_rules(length, "assets/ui/a.tsx", &"x\n".repeat(500)).is_empty());
        assert_eq!(broken_rules(opening, "src/a.rs", "use x;").len(), 1);
        assert_eq!(
            broken_rules(names, "src/http/utils.rs", "").len()
                + broken_rules(names, "tests/api/common/a.rs", "").len(),
            2
        );
        assert!(broken_rules(names, "src/core/domain/ids.rs", "").is_empty());
        assert_eq!(broken_rules(leftovers, "src/a.rs", "a\n// TODO later\ndbg!(x)\n").len(), 2);
        assert!(broken_rules(leftovers, "src/a.rs", "the placeholder [secret hidden]; mastodon!").is_empty());
    }

    #[test]
    fn cards_are_registered_and_the_map_is_true() {
        let files = |registry: &str, map: &str| {
            vec![
                Source::new("src/cards/registry.rs", registry),
                Source::new("src/cards/tools/clock.rs", "//! x\npub const CARD: Card = Card {};"),
                Source::new("src/cards/kit/schema/input.rs", "//! x"),
                Source::new("src/lib.rs", map),
                Source::new("src/app.rs", "//! x"),
            ]
        };
        assert_eq!(
            cards(&files("use other;", "")),
            ["src/cards/tools/clock.rs:1: the card is not in src/cards/registry.rs"]
        );
        assert!(cards(&files("&[super::tools::clock::CARD]", "")).is_empty());
        let rows = "//! | 3 | `flowkeep_cards` | `cards/` cards, and either/or, and/or a/b.rs |\n//! | 5 | this one | `app.rs` |\n";
        assert!(map(&files("", rows)).is_empty());
        let rows = "//! | 3 | `flowkeep_cards` | `cards/` |\n//! attic/ y\n";
        assert_eq!(map(&files("", rows)).len(), 2);
        assert_eq!(map(&files("", "//! | 3 | this one | `cards/` `app.rs` |\n")).len(), 2);
    }
}
