//! Calls of filters as owners write them for programs like Flowise, one after the other, with a dot between them. They are
//! read and never run.

/// Calls of a column and a value, by the name of their operator.
const OPERATORS: &[&str] = &["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "is"];

/// The calls as pairs of a query; `None` for anything else.
pub(super) fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let mut rest = text.trim().trim_end_matches(';').trim_end();
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('(')?;
        let (arguments, after) = arguments(after)?;
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        pairs.push(match (name.trim(), arguments.as_slice()) {
            ("filter", [column, operator, value]) => pair(column, &format!("{operator}.{value}")),
            ("not", [column, operator, value]) => pair(column, &format!("not.{operator}.{value}")),
            ("or", [any]) => pair("or", &format!("({any})")),
            (operator, [column, value]) if OPERATORS.contains(&operator) => {
                pair(column, &format!("{operator}.{value}"))
            }
            _ => return None,
        });
        rest = after.trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix('.')?.trim_start();
        }
    }
    Some(pairs)
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The arguments up to the closing bracket, and what stands behind it.
fn arguments(text: &str) -> Option<(Vec<String>, &str)> {
    let (mut all, mut rest) = (Vec::new(), text.trim_start());
    loop {
        let (argument, after) = argument(rest)?;
        all.push(argument);
        rest = after.trim_start();
        if let Some(after) = rest.strip_prefix(')') {
            return Some((all, after));
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// A text in quotes, or a plain value.
fn argument(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next()?;
    if !matches!(quote, '"' | '\'' | '`') {
        let end = text.find([',', ')'])?;
        let value = text[..end].trim();
        let is_value = matches!(value, "null" | "true" | "false") || value.parse::<f64>().is_ok();
        return is_value.then(|| (value.to_owned(), &text[end..]));
    }
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => {
                is_escaped = false;
                value.push(letter);
            }
            '\\' => is_escaped = true,
            letter if letter == quote => return Some((value, &text[at + letter.len_utf8()..])),
            letter => value.push(letter),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_become_pairs_of_a_query() {
        let read = |text: &str| parse(text).map(|pairs| format!("{pairs:?}"));
        for (text, expected) in [
            ("", "[]"),
            (
                "filter(\"metadata->a::int\", \"gt\", 5).filter('metadata->>stuff', `eq`, \"right, (yes)\")",
                r#"[("metadata->a::int", "gt.5"), ("metadata->>stuff", "eq.right, (yes)")]"#,
            ),
            ("eq('a', null)\n  .not(\"b\", \"is\", true);", r#"[("a", "eq.null"), ("b", "not.is.true")]"#),
            (r#"or("a.eq.1,b.eq.\"2\"")"#, r#"[("or", "(a.eq.1,b.eq.\"2\")")]"#),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_no_filter() {
        for text in [
            "rpc.filter('a', 'eq', 1)",
            "filter('a', 'eq')",
            "filter('a', 'eq', fetch('x'))",
            "filter('a', 'eq', 1) && x",
            "eq('a', 1",
            "eq('a, 1)",
            "eq()",
            "delete('a', 1)",
            "1",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
