//! The lists of a text: lines that begin with a bullet or a number.

use super::super::words::fold;

/// The items of all lists, folded, without their marks. A single line with a mark is no list.
#[must_use]
pub(crate) fn items(text: &str) -> Vec<String> {
    let items: Vec<String> = text.lines().filter_map(item).map(fold).collect();
    if items.len() > 1 { items } else { Vec::new() }
}

fn item(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let bullet = ["- ", "* ", "• ", "– ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let figures = line.len() - rest.len();
        (1..=3)
            .contains(&figures)
            .then(|| rest.strip_prefix(['.', ')']))?
            .filter(|rest| rest.starts_with(' '))
    };
    bullet.or_else(numbered).map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_lines_with_a_mark() {
        assert_eq!(items("Bring:\n- a  Key\n* two\n 3) three\n12 apples"), ["a key", "two", "three"]);
        assert!(items("- alone").is_empty());
    }
}
