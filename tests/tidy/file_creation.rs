//! Who makes files and folders.

use super::*;

/// What makes files and folders outside the room that makes them last: for people at the command line, for a socket that is
/// no data, for those who work on this program, and the database with its journals, which have a form of their own.
const MAKERS: &[&str] = &[
    "src/core/durable/",
    "src/cli/",
    "src/ops/workspace/templates/starter_drawings.rs",
    "src/adapters/store/engine/create.rs",
    "src/adapters/store/wal/segment.rs",
    "src/adapters/store/engine/recovery.rs",
    "src/tasks/control.rs",
];

pub fn one_room_for_files(source: &Source) -> Vec<String> {
    let is_test = source.path.ends_with("tests.rs") || source.path.contains("/tests/");
    let is_maker = MAKERS.iter().any(|home| source.path.starts_with(home));
    if source.room().is_none() || !source.is_rust() || is_test || is_maker {
        return Vec::new();
    }
    let tests = pattern!(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*mod\s+\w+\s*\{");
    let code = tests.find(&source.code).map_or(&*source.code, |found| &source.code[..found.start()]);
    let makes = pattern!(
        r"\bfs\s*::\s*(?:create_dir|create_dir_all|write|rename|hard_link|copy|mkdirat|linkat|renameat)\b|\b(?:DirBuilder|OpenOptions|tempfile_in|tempdir_in)\b|\bFile\s*::\s*(?:create|create_new|options)\b"
    );
    makes
        .find_iter(code)
        .map(|hit| source.at(hit.start(), "files and folders that last are made in src/core/durable/ only"))
        .collect()
}

#[test]
fn files_that_last_are_made_in_one_room() {
    let makes = "use std::fs::{self, OpenOptions};\nfn f() { fs::create_dir_all(a); File::create(b); fs::rename(a, b); }";
    assert_eq!(broken("src/adapters/files/a.rs", makes).len(), 4);
    for maker in ["src/core/durable/a.rs", "src/cli/a.rs", "src/adapters/files/a_tests.rs", "tests/api/a.rs"]
    {
        assert!(broken(maker, makes).is_empty(), "{maker}");
    }
    let reads = "fs::read(a); File::open(b); fs::remove_file(c); written(); // fs::write";
    assert!(broken("src/adapters/files/a.rs", reads).is_empty());
    let tested = format!("fn f() {{}}\n#[cfg(all(test, unix))]\n#[allow(unused)]\nmod tests {{\n{makes}\n}}");
    assert!(broken("src/adapters/files/a.rs", &tested).is_empty());
}

fn broken(path: &str, text: &str) -> Vec<String> {
    one_room_for_files(&Source::new(path, text))
}
