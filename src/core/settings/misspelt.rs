//! What of the environment means nothing here: misspelt names and values that are none.

use super::in_force::VARIABLES;
use super::parse::is_off;

/// Longest part of a value that a warning repeats.
const SHOWN_MAX_CHARS: usize = 80;
/// How many letters a misspelt name may differ in.
const DISTANCE_MAX: usize = 2;

/// What of the environment means nothing here, a sentence each: names that begin with `SERVICE_` and are none, and
/// values of switches and of caps that are no values. `present` are the names that are set, `switches` and `others` the
/// variables of single commands.
#[must_use]
pub fn warnings(
    vars: &dyn Fn(&str) -> Option<String>,
    present: &[String],
    switches: &[String],
    others: &[String],
) -> Vec<String> {
    let known = || {
        let of_commands = switches.iter().chain(others).map(String::as_str);
        VARIABLES.iter().map(|variable| variable.name).chain(of_commands)
    };
    let is_unknown = |name: &&String| name.starts_with("SERVICE_") && !known().any(|known| known == **name);
    let unknown = present.iter().filter(is_unknown).map(|name| {
        let shown = escape_and_shorten(name);
        match known().map(|known| (edit_distance(known, name), known)).min() {
            Some((edit_distance, near)) if edit_distance <= DISTANCE_MAX => {
                format!("{shown} is no setting and changes nothing; did you mean {near}?")
            }
            _ => {
                format!("{shown} is no setting and changes nothing; `flowkeep config` lists those there are")
            }
        }
    });
    let value = |name: &str| vars(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let is_on = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "on" | "true" | "1" | "yes");
    let kept = ["SERVICE_VERSIONS", "SERVICE_DRAFTS"].map(|name| (name, "on"));
    let of_commands = switches.iter().map(|name| (name.as_str(), "off"));
    let meaningless = kept.into_iter().chain(of_commands).filter_map(|(name, stays)| {
        let text = value(name).filter(|text| !is_on(text) && !is_off(text))?;
        Some(format!(
            "{name} is \"{}\", which is neither on nor off; it stays {stays}",
            escape_and_shorten(&text)
        ))
    });
    let caps = ["SERVICE_CHECK_MAX_TOKENS", "SERVICE_CHECK_MAX_SECONDS"].into_iter().filter_map(|name| {
        let text = value(name)?;
        let is_number = text.parse::<f64>().is_ok_and(|number| number.is_finite() && number > 0.0);
        let told = || {
            format!(
                "{name} is \"{}\", which is no number above 0; its default counts",
                escape_and_shorten(&text)
            )
        };
        (!is_number).then(told)
    });
    unknown.chain(meaningless).chain(caps).collect()
}

fn escape_and_shorten(text: &str) -> String {
    text.escape_debug().take(SHOWN_MAX_CHARS).collect()
}

/// How many letters have to be put in, taken out or exchanged to make one name of the other.
fn edit_distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.chars().enumerate() {
        let mut corner = row[0];
        row[0] = at + 1;
        for (place, its) in other.iter().enumerate() {
            let exchanged = corner + usize::from(letter != *its);
            corner = row[place + 1];
            row[place + 1] = exchanged.min(corner + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one warning of a variable.
    fn line_of(name: &str, value: &str) -> String {
        let mut found = warned(&[(name, value)]);
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    }

    fn warned(vars: &[(&str, &str)]) -> Vec<String> {
        let found =
            |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let present: Vec<String> = vars.iter().map(|(name, _)| (*name).to_owned()).collect();
        warnings(&found, &present, &["SERVICE_DEMO".to_owned()], &["SERVICE_KEY_NAME".to_owned()])
    }

    #[test]
    fn what_means_nothing_is_named_with_what_was_meant() {
        let line = line_of("SERVICE_DRAFT", "off");
        assert!(line.contains("SERVICE_DRAFT is no setting") && line.contains("SERVICE_DRAFTS?"), "{line}");
        let line = line_of("SERVICE_QUITE_ELSE", "x");
        assert!(line.contains("`flowkeep config`"), "{line}");
        let line = line_of("SERVICE_DRAFTS", "banana");
        assert_eq!(line, "SERVICE_DRAFTS is \"banana\", which is neither on nor off; it stays on");
        let line = line_of("SERVICE_DEMO", "maybe");
        assert!(line.ends_with("it stays off"), "{line}");
        assert!(line_of("SERVICE_CHECK_MAX_TOKENS", "many").contains("no number"));
        let fine =
            [("SERVICE_DRAFTS", " OFF "), ("SERVICE_KEY_NAME", "a"), ("HOME", "x"), ("SERVICE_VERSIONS", "")];
        assert_eq!(warned(&fine), [] as [String; 0]);
    }

    #[test]
    fn letters_are_counted() {
        for (one, other, count) in [("a", "a", 0), ("ab", "a", 1), ("abc", "acb", 2), ("", "ab", 2)] {
            assert_eq!(edit_distance(one, other), count, "{one} {other}");
        }
    }
}
