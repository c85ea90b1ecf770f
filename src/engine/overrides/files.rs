//! Files that came with a request, for the inputs of document loaders. They are the one way into an input that holds files:
//! a value of `overrideConfig` never is (manual 7.2 r4), a file of a form may be, where the owner listed it (manual 4.1 r4).

use super::Overrides;
use crate::canvas::files::{InlineFile, to_data_uris};
use crate::cards::kit::{Card, Factory, InputKind};
use crate::domain::flows::settings::OverridePolicy;
use crate::engine::LoaderFiles;
use crate::engine::plan::{Plan, StepKind};
use crate::limits::BODY_MULTIPART_BYTES;
use std::collections::BTreeMap;

/// How lists of settings call the file input of a loader (manual 7.1 r2).
pub(super) const FILES: &str = "files";

/// The file input of a loader, with the endings it takes.
pub(in crate::engine) fn file_input(card: &Card) -> Option<(&'static str, &'static [&'static str])> {
    if !matches!(card.make, Factory::Loader(_)) {
        return None;
    }
    card.inputs.iter().find_map(|input| match input.kind {
        InputKind::File(endings) => Some((input.name, endings)),
        _ => None,
    })
}

/// True when a loader that the owner listed takes files whose names end like this one.
#[must_use]
pub fn takes_file(plan: &Plan, allowed: &OverridePolicy, name: &str) -> bool {
    takers(plan, allowed, name).next().is_some()
}

fn takers<'a>(
    plan: &'a Plan,
    allowed: &'a OverridePolicy,
    name: &'a str,
) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    plan.steps.iter().enumerate().filter_map(move |(at, step)| {
        let StepKind::Known { card, .. } = &step.kind else { return None };
        let (input, endings) = file_input(card)?;
        let listed = allowed.allows(&step.label, FILES) || allowed.allows(&step.label, input);
        (listed && ends(name, endings)).then_some((at, input))
    })
}

/// A card writes its endings with a dot or without; none are all.
pub(in crate::engine) fn ends(name: &str, endings: &[&str]) -> bool {
    let name = name.to_ascii_lowercase();
    endings.is_empty()
        || endings.iter().any(|ending| {
            name.strip_suffix(ending.trim_start_matches('.')).is_some_and(|stem| stem.ends_with('.'))
        })
}

impl Overrides {
    /// Gives each file to the loaders that take it, in place of those the canvas names. Each loader holds its own.
    ///
    /// # Errors
    /// [`FilesTooLarge`] when that would be more than a form may bring.
    pub fn take_files(
        &mut self,
        plan: &Plan,
        allowed: &OverridePolicy,
        files: &[InlineFile],
    ) -> Result<(), FilesTooLarge> {
        let mut room = BODY_MULTIPART_BYTES;
        let mut given: BTreeMap<(usize, &'static str), Vec<&InlineFile>> = BTreeMap::new();
        for file in files {
            for taker in takers(plan, allowed, &file.name) {
                room = room.checked_sub(file.bytes.len()).ok_or(FilesTooLarge)?;
                given.entry(taker).or_default().push(file);
            }
        }
        let values = given.into_iter().map(|(taker, files)| (taker, to_data_uris(files).into()));
        self.values.extend(values);
        Ok(())
    }

    /// Gives files of a chat to the loaders that the owner wired into the store for them.
    pub fn take_uploads(&mut self, plan: &Plan, given: &[LoaderFiles]) {
        for given in given {
            if let Some(at) = plan.places.get(&given.node) {
                self.values.insert((*at, given.input), to_data_uris(&given.files).into());
            }
        }
    }
}

/// The files are too large for as many loaders as take them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilesTooLarge;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_counts_with_its_dot() {
        for (name, endings, expected) in [
            ("a.PDF", &[".pdf"][..], true),
            ("a.json", &["yaml", "json"], true),
            ("pdf", &[".pdf"], false),
            ("apdf", &["pdf"], false),
            ("a.pdf.exe", &[".pdf"], false),
            ("anything", &[], true),
        ] {
            assert_eq!(ends(name, endings), expected, "{name} {endings:?}");
        }
    }
}
