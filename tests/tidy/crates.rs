//! What a library shows to others: of its code, what somebody outside uses, because the compiler takes everything public for used; in the
//! log, rooms, because a crate is nothing that an operator knows of.

use super::*;
use std::collections::HashSet;

/// Functions, constants and statics that a library shows, and that are named nowhere outside of it.
pub fn unused_outside(sources: &[Source]) -> Vec<String> {
    let item = pattern!(r"(?m)^\s*pub (?:const |async |unsafe )*(?:fn|const|static) ([A-Za-z_0-9]+)");
    let word = pattern!(r"[A-Za-z_][A-Za-z_0-9]*");
    let mut broken = Vec::new();
    for library in LIBRARIES {
        let is_inside = |source: &&Source| {
            source.is_rust() && source.library().is_some_and(|one| one.name == library.name)
        };
        let outside: HashSet<&str> = sources
            .iter()
            .filter(|source| source.is_rust() && !is_inside(source))
            .flat_map(|source| word.find_iter(&source.code).map(|found| found.as_str()))
            .collect();
        for source in sources.iter().filter(is_inside) {
            let found = item.captures_iter(&source.code).filter_map(|hit| hit.get(1));
            for name in found.filter(|name| !outside.contains(name.as_str())) {
                let rule =
                    format!("`{}` is public, and nothing outside of {} uses it", name.as_str(), library.name);
                broken.push(source.at(name.start(), &rule));
            }
        }
    }
    broken
}

/// The file of a library of several rooms that names them, where it does anything else. Such a file is in no room, so no floor holds it.
pub fn rooms_alone(source: &Source) -> Vec<String> {
    let is_root = |library: &&Library| library.has_rooms && source.path_of_rooms() == Some("lib.rs");
    if source.library().filter(is_root).is_none() {
        return Vec::new();
    }
    let room = pattern!(r"(?m)^pub mod [a-z_]+;$|^use flowkeep_[a-z]+::\{[^}]*\};$|^#!\[[^\]]*\]$");
    if room.replace_all(&source.code, "").trim().is_empty() {
        Vec::new()
    } else {
        vec![source.at(0, "a library of rooms names its rooms and nothing else")]
    }
}

/// Lines of the log, and spans, that would show the name of a library. Operators filter by rooms and files (manual 13.8 r1).
pub fn log_targets(source: &Source) -> Vec<String> {
    if source.library().is_none() {
        return Vec::new();
    }
    let path = source.path_of_rooms().unwrap_or_default().trim_end_matches(".rs");
    let target = format!("target: \"flowkeep::{}\"", path.trim_end_matches("/mod").replace('/', "::"));
    let rule = format!("a line of the log begins with `{target}`, and a span has a target too");
    let tracing = pattern!(r"\b(?:error|warn|info|debug|trace|event|([a-z_]*span))!\s*\(\s*|\binstrument\b");
    let hits = tracing.captures_iter(&source.code).filter_map(|hit| {
        let (whole, is_span) = (hit.get(0)?, hit.get(1).is_some());
        let wanted = if is_span { "target: " } else { &target };
        (!source.text[whole.end()..].starts_with(wanted)).then_some(whole.start())
    });
    hits.map(|at| source.at(at, &rule)).collect()
}

#[test]
fn lines_of_the_log_name_their_room() {
    let broken = |path: &str, text: &str| log_targets(&Source::new(path, text)).len();
    let named = "tracing::warn!(\n    target: \"flowkeep::store::wal\",\n    \"x\");";
    assert_eq!(broken("src/adapters/store/wal/mod.rs", named), 0);
    assert_eq!(broken("src/adapters/store/wal.rs", named), 0);
    assert_eq!(broken("src/adapters/store/a.rs", named), 1);
    assert_eq!(broken("src/cards/tools/a.rs", "use tracing::info;\nfn f() { info!(a, \"b\") }"), 1);
    assert_eq!(
        broken("src/cards/a.rs", "info_span!(target: X, \"a\"); info_span!(\"b\"); #[instrument] fn f() {}"),
        2
    );
    assert_eq!(broken("src/ops/a.rs", "tracing::warn!(\"x\")"), 0);
}

#[test]
fn what_only_a_crate_itself_uses_is_its_own() {
    let sources = [
        Source::new("src/core/a.rs", "pub fn one() {}\n    pub const TWO: u8 = 2;\npub(crate) fn three() {}"),
        Source::new("src/core/b.rs", "one(); pub static FOUR: u8 = TWO;"),
        Source::new("src/adapters/c.rs", "pub const fn five() { one() } // TWO"),
        Source::new("tests/d.rs", "five() + FOUR"),
    ];
    let two = "src/core/a.rs:2: `TWO` is public, and nothing outside of flowkeep_core uses it";
    assert_eq!(unused_outside(&sources), [two]);
}

#[test]
fn a_library_of_rooms_names_them_and_does_nothing_else() {
    let broken = |path: &str, text: &str| rooms_alone(&Source::new(path, text)).len();
    let rooms = "//! x\n\n// y\n#![warn(z)]\n\nuse flowkeep_core::{base,\n    net};\n\npub mod store;\n";
    assert_eq!(broken("src/adapters/lib.rs", rooms), 0);
    assert_eq!(broken("src/core/lib.rs", "pub mod a;\npub fn f() {}\n"), 1);
    assert_eq!(broken("src/core/lib.rs", "use flowkeep_core::{a};\nuse flowkeep::ops;\n"), 1);
    assert_eq!(broken("src/cards/lib.rs", "mod a;\nfn f() {}\n") + broken("src/lib.rs", "fn f() {}"), 0);
}
