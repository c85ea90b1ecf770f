//! A stand-in for a model: says what it knows in other words each time.

use super::corpus::{CLOSINGS, OPENINGS, Topic};
use crate::domain::checks::answer::{Answer, StepTrace};

/// Numbers for a trial, the same for the same seed (xorshift).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x6a09_e667_f3bc_c908)
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % count.max(1) as u64).unwrap()
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Length {
    Short,
    Usual,
    Long,
}

/// One of the ways of saying a grammar.
fn expand(grammar: &str, length: Length, dice: &mut Dice) -> String {
    let mut out = String::new();
    let mut rest = grammar;
    while let Some(at) = rest.find(['{', '[', '(', '<']) {
        out.push_str(&rest[..at]);
        let open = rest.as_bytes()[at];
        let close = match open {
            b'{' => '}',
            b'[' => ']',
            b'(' => ')',
            _ => '>',
        };
        let end = at + matching(&rest[at..], char::from(open), close);
        let inner = &rest[at + 1..end];
        let said = match open {
            b'{' => {
                let ways: Vec<&str> = inner.split('|').collect();
                Some(ways[dice.below(ways.len())])
            }
            b'[' => (length != Length::Short && dice.chance(50)).then_some(inner),
            b'(' => (length != Length::Short).then_some(inner),
            _ => (length == Length::Long).then_some(inner),
        };
        if let Some(said) = said {
            out.push_str(&expand(said, length, dice));
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

fn matching(text: &str, open: char, close: char) -> usize {
    let mut depth = 0;
    for (at, sign) in text.char_indices() {
        if sign == open {
            depth += 1;
        } else if sign == close {
            depth -= 1;
            if depth == 0 {
                return at;
            }
        }
    }
    panic!("a bracket stays open in {text}")
}

/// An answer in other words: one in five has another length, sentences after the first may change places, and how it begins and
/// ends varies.
pub(super) fn phrase(topic: &Topic, dice: &mut Dice) -> String {
    let length = match dice.below(10) {
        0 => Length::Short,
        1 => Length::Long,
        _ => Length::Usual,
    };
    let mut sentences: Vec<&str> = topic.answer.split(" / ").collect();
    if sentences.len() > 2 && dice.chance(30) {
        let last = sentences.len() - 1;
        sentences.swap(last, last - 1);
    }
    let mut said: Vec<String> = sentences.into_iter().map(|one| expand(one, length, dice)).collect();
    said.insert(0, expand(OPENINGS, length, dice));
    said.push(expand(CLOSINGS, length, dice));
    said.retain(|one| !one.is_empty());
    said.join(" ")
}

/// What the unchanged flow answers.
pub(super) fn answer(topic: &Topic, dice: &mut Dice) -> Answer {
    let step = |id: &str, label: &str, output: &str| StepTrace {
        node_id: id.to_owned(),
        node_label: label.to_owned(),
        status: "FINISHED".to_owned(),
        output: output.to_owned(),
        tools: Vec::new(),
    };
    let text = phrase(topic, dice);
    // A model that may call a tool does not always, and a search does not always find the same.
    let tools = topic.tool.filter(|_| dice.chance(97)).map(str::to_owned).into_iter().collect();
    let mut sources: Vec<String> = topic.sources.iter().map(|one| (*one).to_owned()).collect();
    if dice.chance(10) {
        sources.pop();
    }
    let steps = vec![step("start", "Start", ""), step(topic.branch, topic.branch, &text)];
    Answer {
        text,
        tokens: Some(100),
        ms: 400 + dice.below(900) as u64,
        tools,
        sources,
        steps,
        ..Answer::default()
    }
}
