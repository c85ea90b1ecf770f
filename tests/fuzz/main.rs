//! Every parser that a stranger reaches, fed with damaged input. `FLOWKEEP_FUZZ_SECONDS` says for how long each target runs
//! (a second by default, minutes for a long run), `FLOWKEEP_FUZZ_SEED` where the drawing of chance begins.
//!
//! A target says what became of an input; an input with a new outcome is kept and damaged further. What breaks a target
//! is written into the temporary folder, and belongs into `seeds/` once it is mended.

#![allow(clippy::unwrap_used, reason = "a test may stop at what it does not expect")]

mod canvas;
mod documents;
mod foreign_files;
mod form;
mod history;
mod json;
mod models;
mod mysql;
mod overrides;
#[path = "../support/program.rs"]
mod program;
mod redis;
mod request_head;
#[path = "../support/samples.rs"]
mod samples;
mod secrets;
#[path = "../support/wire.rs"]
mod wire;

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Inputs that are kept besides the seeds.
const KEPT_MAX: usize = 2_000;
/// Longest input.
const BYTES_MAX: usize = 64 * 1024;

/// Numbers that look like chance and are the same in every run.
pub struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`, which is none for zero.
    pub fn random_below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { usize::try_from(self.next() >> 1).unwrap_or_default() % end }
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.random_below(list.len())]
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The seeds of a target: the files of its folder.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Feeds `target` with damaged `seeds` and with words of its language. It tells the outcome, and panics over what must
/// not be.
pub fn fuzz<T: Hash>(name: &str, seeds: Vec<Vec<u8>>, words: &[&str], mut target: impl FnMut(&[u8]) -> T) {
    let mut chance = Rng(setting("FLOWKEEP_FUZZ_SEED", 0x5eed).max(1));
    let end = Instant::now() + Duration::from_secs(setting("FLOWKEEP_FUZZ_SECONDS", 1));
    let mut inputs = seeds;
    let mut seen = HashSet::new();
    let mut feed = |input: &[u8]| {
        let outcome = catch_unwind(AssertUnwindSafe(|| target(input))).unwrap_or_else(|panic| {
            let mut hasher = DefaultHasher::new();
            input.hash(&mut hasher);
            let path = std::env::temp_dir().join(format!("flowkeep-fuzz-{name}-{:016x}", hasher.finish()));
            fs::write(&path, input).unwrap();
            eprintln!("{name}: broken by {}", path.display());
            resume_unwind(panic)
        });
        let mut hasher = DefaultHasher::new();
        outcome.hash(&mut hasher);
        seen.insert(hasher.finish())
    };
    for input in &inputs {
        feed(input);
    }
    let (mut count, first) = (inputs.len(), inputs.len());
    while Instant::now() < end {
        let mut input = chance.choose(&inputs).clone();
        for _ in 0..=chance.random_below(4) {
            damage(&mut input, &inputs, words, &mut chance);
        }
        input.truncate(BYTES_MAX);
        count += 1;
        if feed(&input) && inputs.len() < first + KEPT_MAX {
            inputs.push(input);
        }
    }
    eprintln!("{name}: {count} inputs, {} of them with an outcome of its own", inputs.len() - first);
}

/// Changes an input in one place.
fn damage(input: &mut Vec<u8>, others: &[Vec<u8>], words: &[&str], chance: &mut Rng) {
    const BYTES: &[u8] = b"\x00\x01\x7f\x80\xff\r\n\t \"'\\/:;,&=%{}[]<>()-+0 9";
    const NUMBERS: &[&str] =
        &["0", "-1", "1e999", "255", "65536", "4294967295", "9223372036854775808", "18446744073709551616"];
    let at = chance.random_below(input.len() + 1);
    let length = chance.random_below((input.len() - at).min(64) + 1);
    match chance.random_below(10) {
        0 if at < input.len() => input[at] ^= 1 << chance.random_below(8),
        1 if at < input.len() => input[at] = *chance.choose(BYTES),
        2 => input.insert(at, *chance.choose(BYTES)),
        3 => drop(input.drain(at..at + length)),
        4 => {
            let piece = input[at..at + length].to_vec();
            for _ in 0..=chance.random_below(40) {
                input.splice(at..at, piece.iter().copied());
            }
        }
        5 if !words.is_empty() => {
            let word = chance.choose(words).as_bytes().to_vec();
            input.splice(at..at + length, word);
        }
        6 => {
            let number = chance.choose(NUMBERS).as_bytes().to_vec();
            input.splice(at..at + length.min(4), number);
        }
        7 => input.truncate(at),
        8 => {
            let other = chance.choose(others);
            let from = chance.random_below(other.len() + 1);
            let to = from + chance.random_below((other.len() - from).min(256) + 1);
            input.splice(at..at + length, other[from..to].iter().copied());
        }
        _ => {
            let big: [u8; 8] = chance.next().to_le_bytes();
            let end = (at + chance.random_below(8)).min(input.len());
            input.splice(at..end, big[..end - at].iter().copied());
        }
    }
}
