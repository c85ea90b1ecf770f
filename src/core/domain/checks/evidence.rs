//! Which facts set the draft apart from Live: what one side always says and the other never.

use super::answer::Answer;
use super::facts::dates::Date;
use super::facts::language::{Language, detect};
use super::facts::lists;
use super::facts::numbers::{self, Figures};
use super::facts::refusals::refuses;
use super::facts::structure::parse_json;
use super::sides::SideNames;
use super::verdict::{Why, WhyCode};
use super::wording::is_same_text;
use super::words::quote;
use std::collections::BTreeSet;

/// How likely an accident may be for one side's silence to count.
const ACCIDENT_MAX: f64 = 0.01;

/// What one answer says.
#[derive(Debug, Clone)]
struct Facts {
    numbers: Vec<String>,
    dates: Vec<Date>,
    /// Items of lists, folded.
    items: Vec<String>,
    tools: Vec<String>,
    refuses: bool,
    language: Option<Language>,
    is_json: bool,
    /// The flow declares the shape of this answer.
    is_declared: bool,
}

impl Facts {
    fn read(answer: &Answer, asked: &Figures) -> Self {
        let language = detect(&answer.text);
        let mut figures = numbers::read(&answer.text, language);
        figures.leave_out(asked);
        let tools: BTreeSet<&String> = answer.tools.iter().collect();
        let is_json = answer.json.is_some() || parse_json(&answer.text).is_some();
        Self {
            numbers: figures.numbers.into_iter().collect(),
            dates: figures.dates,
            items: lists::items(&answer.text),
            tools: tools.into_iter().cloned().collect(),
            refuses: refuses(&answer.text),
            language,
            is_json: answer.structured.unwrap_or(is_json),
            is_declared: answer.structured.is_some(),
        }
    }
}

/// The good answers to one question, read once.
#[derive(Debug)]
pub(crate) struct Evidence {
    live: Vec<Facts>,
    draft: Vec<Facts>,
    /// The answers of each side are the same, word for word.
    is_alike: bool,
    first_refusal: Option<String>,
    sides: SideNames,
}

/// A difference in a hard fact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finding {
    pub why: Why,
    /// It counts where the check knows Live's noise. A silence does not, unless so many answers bear it out.
    pub is_strong: bool,
    /// Each side says something in the other's place, or there is but one thing to say.
    pub is_replacement: bool,
}

impl Finding {
    /// Of something that every answer either does or does not.
    fn of_answer(code: WhyCode, message: impl Into<String>) -> Self {
        Self { why: Why::new(code, message), is_strong: true, is_replacement: true }
    }
}

/// What each side says always, and the other never.
struct Contrast<'a, T> {
    only_live: Vec<&'a T>,
    only_draft: Vec<&'a T>,
}

impl<T> Contrast<'_, T> {
    const fn is_empty(&self) -> bool {
        self.only_live.is_empty() && self.only_draft.is_empty()
    }

    /// Each side says something in the other's place.
    const fn is_replacement(&self) -> bool {
        !self.only_live.is_empty() && !self.only_draft.is_empty()
    }
}

fn contrast<'a, T>(
    live: &[&'a Vec<T>],
    draft: &[&'a Vec<T>],
    agrees: impl Fn(&T, &T) -> bool,
) -> Contrast<'a, T> {
    let has = |answer: &[T], value: &T| answer.iter().any(|one| agrees(one, value));
    let only = |of: &[&'a Vec<T>], not_of: &[&'a Vec<T>]| -> Vec<&'a T> {
        let Some(first) = of.first() else { return Vec::new() };
        let always = first.iter().filter(|value| of.iter().all(|answer| has(answer, value)));
        always.filter(|value| !not_of.iter().any(|answer| has(answer, value))).collect()
    };
    Contrast { only_live: only(live, draft), only_draft: only(draft, live) }
}

impl Evidence {
    /// Reads the good answers of both sides.
    #[must_use]
    pub(crate) fn read(live: &[&Answer], draft: &[&Answer], question: &str, sides: SideNames) -> Self {
        let alike = |answers: &[&Answer]| answers.windows(2).all(|pair| is_same_text(pair[0], pair[1]));
        let asked = numbers::read(question, detect(question));
        let refusal = live.iter().chain(draft).find(|answer| refuses(&answer.text));
        Self {
            live: live.iter().map(|answer| Facts::read(answer, &asked)).collect(),
            draft: draft.iter().map(|answer| Facts::read(answer, &asked)).collect(),
            is_alike: alike(live) && alike(draft),
            first_refusal: refusal.map(|answer| quote(&answer.text)),
            sides,
        }
    }

    /// What it would be if each side were asked once more and said its first answer again.
    #[must_use]
    pub(crate) fn as_if_again(&self) -> Self {
        let more = |side: &[Facts]| side.iter().chain(side.first()).cloned().collect();
        Self {
            live: more(&self.live),
            draft: more(&self.draft),
            is_alike: self.is_alike,
            first_refusal: self.first_refusal.clone(),
            sides: self.sides,
        }
    }

    /// Each side says the same, word for word, whenever it is asked.
    const fn repeats(&self) -> bool {
        self.is_alike && self.live.len() > 1 && self.draft.len() > 1
    }

    /// All differences in hard facts.
    #[must_use]
    pub(crate) fn findings(&self) -> Vec<Finding> {
        if self.live.is_empty() || self.draft.is_empty() {
            return Vec::new();
        }
        let found = [
            self.numbers(),
            self.dates(),
            self.items(),
            self.refusal(),
            self.language(),
            self.tools(),
            self.structure(),
        ];
        found.into_iter().flatten().collect()
    }

    /// How likely it is at most, where both sides say a thing equally often, that all of one side say it and none of the other.
    fn is_borne_out(&self) -> bool {
        let count = |side: &[Facts]| f64::from(u32::try_from(side.len()).unwrap_or(u32::MAX));
        let (live, draft) = (count(&self.live), count(&self.draft));
        let share = draft / (live + draft);
        let accident = share.powf(draft) * (1.0 - share).powf(live);
        accident <= ACCIDENT_MAX || self.repeats()
    }

    fn numbers(&self) -> Option<Finding> {
        let (live, draft) =
            (all(&self.live, |facts| &facts.numbers), all(&self.draft, |facts| &facts.numbers));
        let found = contrast(&live, &draft, |one, other| one == other);
        let names = |values: &[&String]| list(values.iter().map(|value| (*value).clone()));
        self.values(WhyCode::Number, &found, names, "number")
    }

    fn dates(&self) -> Option<Finding> {
        let (live, draft) = (all(&self.live, |facts| &facts.dates), all(&self.draft, |facts| &facts.dates));
        let found = contrast(&live, &draft, Date::agrees);
        let names = |values: &[&Date]| list(values.iter().map(ToString::to_string));
        self.values(WhyCode::Date, &found, names, "date")
    }

    fn items(&self) -> Option<Finding> {
        let (live, draft) = (all(&self.live, |facts| &facts.items), all(&self.draft, |facts| &facts.items));
        // Who puts things in other words each time does so in lists too, and one that lists nothing may say the same in a sentence.
        if !self.repeats() || live.iter().chain(&draft).any(|items| items.is_empty()) {
            return None;
        }
        let found = contrast(&live, &draft, |one, other| one == other);
        self.values(WhyCode::List, &found, quoted, "item")
    }

    fn values<T>(
        &self,
        code: WhyCode,
        found: &Contrast<'_, T>,
        names: impl Fn(&[&T]) -> String,
        noun: &str,
    ) -> Option<Finding> {
        let (live, draft) = (names(&found.only_live), names(&found.only_draft));
        let SideNames { left, right } = self.sides;
        let message = match (found.only_live.is_empty(), found.only_draft.is_empty()) {
            (true, true) => return None,
            (false, false) => format!("{} says {live}, {right} says {draft}.", left.opening()),
            (false, true) => format!("{} says {live}, {right} names no such {noun}.", left.opening()),
            (true, false) => format!("{} says {draft}, {left} names no such {noun}.", right.opening()),
        };
        let is_strong = found.is_replacement() || self.is_borne_out();
        let is_replacement = found.is_replacement();
        Some(Finding { why: Why::new(code, message), is_strong, is_replacement })
    }

    fn tools(&self) -> Option<Finding> {
        let (live, draft) = (all(&self.live, |facts| &facts.tools), all(&self.draft, |facts| &facts.tools));
        let found = contrast(&live, &draft, |one, other| one == other);
        if found.is_empty() {
            return None;
        }
        let (live, draft) = (quoted(&found.only_live), quoted(&found.only_draft));
        let SideNames { left, right } = self.sides;
        let message = match (found.only_live.is_empty(), found.only_draft.is_empty()) {
            (false, false) => format!("{} calls {live}, {right} calls {draft}.", left.opening()),
            (false, true) => format!("{} calls {live}, {right} does not.", left.opening()),
            _ => format!("{} calls {draft}, {left} does not.", right.opening()),
        };
        Some(Finding::of_answer(WhyCode::ToolCalls, message))
    }

    fn refusal(&self) -> Option<Finding> {
        let (live, draft) =
            (agreed(&self.live, |facts| facts.refuses)?, agreed(&self.draft, |facts| facts.refuses)?);
        let said = self.first_refusal.as_deref().unwrap_or_default();
        let SideNames { left, right } = self.sides;
        let message = match (live, draft) {
            (false, true) => format!("{} answers, {right} refuses: {said}.", left.opening()),
            (true, false) => {
                format!("{} refuses, {right} answers. {} says {said}.", left.opening(), left.opening())
            }
            _ => return None,
        };
        Some(Finding::of_answer(WhyCode::Refusal, message))
    }

    fn language(&self) -> Option<Finding> {
        let told = |side: &[Facts]| -> Option<Language> {
            let told: BTreeSet<Language> = side.iter().filter_map(|facts| facts.language).collect();
            // An answer too short to tell says nothing against the others.
            (told.len() == 1).then(|| told.first().copied())?
        };
        let (live, draft) = (told(&self.live)?, told(&self.draft)?);
        let SideNames { left, right } = self.sides;
        let message = format!("{} answers in {}, {right} in {}.", left.opening(), live.name(), draft.name());
        (live != draft).then(|| Finding::of_answer(WhyCode::Language, message))
    }

    fn structure(&self) -> Option<Finding> {
        if !self.live.iter().chain(&self.draft).any(|facts| facts.is_declared) {
            return None;
        }
        let (live, draft) =
            (agreed(&self.live, |facts| facts.is_json)?, agreed(&self.draft, |facts| facts.is_json)?);
        let SideNames { left, right } = self.sides;
        let (with, without) = match (live, draft) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        let message = format!(
            "{} answers with JSON of the shape that the flow declares, {without} does not.",
            with.opening()
        );
        Some(Finding::of_answer(WhyCode::Structure, message))
    }

    /// Whether Live's own answers differ in this kind of fact. With `replaced`, only where two say different things in one place.
    #[must_use]
    pub(crate) fn live_varies(&self, code: WhyCode, replaced: bool) -> bool {
        let first_differs = |differs: &dyn Fn(&Facts, &Facts) -> bool| {
            self.live
                .iter()
                .enumerate()
                .any(|(at, one)| self.live[..at].iter().any(|other| differs(one, other)))
        };
        first_differs(&|one, other| match code {
            WhyCode::Number => varies(&one.numbers, &other.numbers, replaced, |one, other| one == other),
            WhyCode::Date => varies(&one.dates, &other.dates, replaced, Date::agrees),
            WhyCode::List => varies(&one.items, &other.items, replaced, |one, other| one == other),
            WhyCode::ToolCalls => one.tools != other.tools,
            WhyCode::Refusal => one.refuses != other.refuses,
            WhyCode::Language => {
                one.language.is_some() && other.language.is_some() && one.language != other.language
            }
            WhyCode::Structure => one.is_json != other.is_json,
            _ => false,
        })
    }
}

fn varies<T>(one: &Vec<T>, other: &Vec<T>, replaced: bool, agrees: impl Fn(&T, &T) -> bool) -> bool {
    let found = contrast(&[one], &[other], agrees);
    if replaced { found.is_replacement() } else { !found.is_empty() }
}

fn all<'a, T>(side: &'a [Facts], of: impl Fn(&'a Facts) -> &'a Vec<T>) -> Vec<&'a Vec<T>> {
    side.iter().map(of).collect()
}

/// What all answers of a side agree on.
fn agreed(side: &[Facts], of: impl Fn(&Facts) -> bool) -> Option<bool> {
    let first = of(side.first()?);
    side.iter().all(|facts| of(facts) == first).then_some(first)
}

/// What one side lists always, and the other never.
pub(super) fn other_items(live: &[Vec<String>], draft: &[Vec<String>]) -> Option<(String, String)> {
    let (live, draft): (Vec<&Vec<String>>, Vec<&Vec<String>>) =
        (live.iter().collect(), draft.iter().collect());
    let found = contrast(&live, &draft, |one, other| one == other);
    found.is_replacement().then(|| (quoted(&found.only_live), quoted(&found.only_draft)))
}

fn quoted(texts: &[&String]) -> String {
    list(texts.iter().map(|text| quote(text)))
}

/// Most values that a sentence names.
const NAMED_MAX: usize = 4;

/// `a, b and c`, and how many more there are.
pub(crate) fn list(values: impl Iterator<Item = String>) -> String {
    let mut values: Vec<String> = values.collect();
    let others = values.len().saturating_sub(NAMED_MAX);
    values.truncate(NAMED_MAX);
    if others > 0 {
        values.push(format!("{others} more"));
    }
    let last = values.pop().unwrap_or_default();
    if values.is_empty() { last } else { format!("{} and {last}", values.join(", ")) }
}
