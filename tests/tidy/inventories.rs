//! What is listed in one place and lies in another.

use super::*;

pub fn cards(sources: &[Source]) -> Vec<String> {
    let registry = sources.iter().find(|source| source.path == "src/cards/registry.rs");
    let registered = |stem: &str| {
        registry
            .is_some_and(|registry| Regex::new(&format!(r"\b{stem}\s*::")).unwrap().is_match(&registry.code))
    };
    let mut broken = Vec::new();
    for source in sources {
        let Some(inside) =
            source.path.strip_prefix("src/cards/").filter(|inside| !inside.starts_with("kit/"))
        else {
            continue;
        };
        let stem = inside.rsplit('/').next().unwrap_or(inside).trim_end_matches(".rs");
        // A card gets what it declares, from its inputs.
        let code = source.code.split("#[cfg(test)]").next().unwrap_or_default();
        if let Some(at) = code.find("Grant::for_service").or_else(|| code.find(">::for_service")) {
            broken.push(source.at(at, "a card gets a grant from its inputs, for what it declares"));
        }
        // What several cards of a folder share stands beside them and declares none.
        let declares = source.code.contains("const CARD: Card");
        if source.is_rust() && declares && !registered(stem) {
            broken.push(format!("{}:1: the card is not in src/cards/registry.rs", source.path));
        }
    }
    broken
}

/// Compares the rooms with those the map in `lib.rs` names: every word of its doc comment of the form `room/` or `room.rs`, each in a row of
/// its crate.
pub fn map(sources: &[Source]) -> Vec<String> {
    let door = |source: &&Source| source.is_rust() && !matches!(source.room(), None | Some("main" | "lib"));
    let crate_of = |source: &Source| source.library().map_or("this one", |library| library.name);
    let rooms: BTreeSet<(&str, &str)> =
        sources.iter().filter(door).filter_map(|source| Some((source.room()?, crate_of(source)))).collect();
    let Some(lib) = sources.iter().find(|source| source.path == "src/lib.rs") else {
        return vec!["src/lib.rs:1: the map of the house is missing".to_owned()];
    };
    let word = pattern!(r"(?:^|[\s`|(])([a-z_]+)(?:/|\.rs)(?:[\s`|,.;:)]|$)");
    let mut named = BTreeSet::new();
    for row in lib.text.lines().filter_map(|line| line.strip_prefix("//!")) {
        let library = row.split('|').nth(2).unwrap_or_default().trim_matches([' ', '`']);
        let mut from = 0;
        while let Some(hit) = word.captures_at(row, from) {
            let name = hit.get(1).unwrap();
            named.insert((name.as_str(), library));
            from = name.end();
        }
    }
    let missing = rooms.difference(&named).map(|(room, library)| {
        format!("src/lib.rs:1: the map does not name the room `{room}` of `{library}`")
    });
    let extra = named.difference(&rooms).map(|(room, library)| {
        format!("src/lib.rs:1: the map names `{room}`, which is no room of `{library}`")
    });
    missing.chain(extra).collect()
}
