//! Values of a request in the texts of Multi-Agent and Sequential Agent flows (manual 7.4 r4).

/// A value as it stands in code: inside quotes it reads exactly as it was sent, outside of them digits are a number and anything
/// else is no code at all. `before` is the code in front of it.
pub(in crate::engine) fn in_code(sent: &str, before: &str) -> String {
    let is_number = !sent.is_empty() && sent.bytes().all(|byte| byte.is_ascii_digit());
    let is_quoted = ends_in_quotes(before);
    if is_number && is_quoted {
        return sent.to_owned();
    }
    if is_number {
        let significant = sent.trim_start_matches('0');
        return if significant.is_empty() { "0".to_owned() } else { significant.to_owned() };
    }
    let mut escaped = String::with_capacity(sent.len() * 4);
    if !is_quoted {
        // What follows a lone mark of a hexadecimal escape can be part of nothing that is code, whatever letters it has.
        escaped.push_str("\\x");
    }
    for unit in sent.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) => escaped.push_str(&format!("\\x{byte:02x}")),
            Err(_) => escaped.push_str(&format!("\\u{unit:04x}")),
        }
    }
    escaped
}

/// A value in a text whose braces name variables: its own are braces and nothing else.
pub(in crate::engine) fn in_prompt(sent: &str) -> String {
    let mut open = 0_usize;
    let mut out = String::with_capacity(sent.len());
    for c in sent.chars() {
        match c {
            '{' => {
                open += 1;
                out.push_str("{{");
            }
            '}' if open > 0 => {
                open -= 1;
                out.push_str("}}");
            }
            c => out.push(c),
        }
    }
    out
}

/// What a place in code stands inside of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Code,
    Quotes(char),
    Line,
    Block,
}

/// True when code that is cut here ends inside of a string or a template. Regular expressions are read as code, so a quote in
/// one is taken for the beginning of a string: a value behind it is escaped all the same.
fn ends_in_quotes(code: &str) -> bool {
    // Templates hold code, which holds templates.
    let mut around: Vec<usize> = Vec::new();
    let mut within = Within::Code;
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match (within, c) {
            (Within::Code, '"' | '\'' | '`') => within = Within::Quotes(c),
            (Within::Code, '/') if chars.peek() == Some(&'/') => within = Within::Line,
            (Within::Code, '/') if chars.next_if_eq(&'*').is_some() => within = Within::Block,
            (Within::Code, '{') => around.iter_mut().last().into_iter().for_each(|depth| *depth += 1),
            (Within::Code, '}') => match around.last_mut() {
                Some(0) => {
                    around.pop();
                    within = Within::Quotes('`');
                }
                Some(depth) => *depth -= 1,
                None => {}
            },
            (Within::Quotes(_), '\\') => drop(chars.next()),
            (Within::Quotes('`'), '$') if chars.next_if_eq(&'{').is_some() => {
                around.push(0);
                within = Within::Code;
            }
            (Within::Quotes(quote), c) if c == quote => within = Within::Code,
            (Within::Quotes('"' | '\'') | Within::Line, '\n') => within = Within::Code,
            (Within::Block, '*') if chars.next_if_eq(&'/').is_some() => within = Within::Code,
            _ => {}
        }
    }
    matches!(within, Within::Quotes(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_a_number_outside_of_quotes_and_stay_as_sent_inside() {
        for (before, sent, stands) in [
            ("return ", "7", "7"),
            ("return ", "007", "7"),
            ("return ", "000", "0"),
            ("return '", "007", "007"),
            ("return `a ${1} ", "007", "007"),
            ("return `${", "007", "7"),
            ("// it's\nreturn ", "01", "1"),
            ("/* \" */ return ", "01", "1"),
            ("return 'a\\'", "01", "01"),
            ("return `${`a` + {b: 1}.b} ", "01", "01"),
        ] {
            assert_eq!(in_code(sent, before), stands, "{before}");
        }
    }

    #[test]
    fn anything_else_is_escaped_and_outside_of_quotes_no_code() {
        assert_eq!(in_code("a'é", "return '"), "\\x61\\x27\\xe9");
        assert_eq!(in_code("東", "return '"), "\\u6771");
        assert_eq!(in_code("東", "return "), "\\x\\u6771");
        for sent in ["-1", "1.5", " 7", "", "alert(1)"] {
            assert!(in_code(sent, "return ").starts_with("\\x"), "{sent}");
        }
    }

    #[test]
    fn braces_of_a_value_name_no_variable() {
        use crate::cards::kit::build::prompt::BraceText;
        for sent in ["{secret}", "a}b", "{\"a\": {}}", "plain"] {
            let prompt = BraceText::parse(&format!("Say {}.", in_prompt(sent)));
            assert_eq!(prompt.variables().count(), 0, "{sent}");
            assert_eq!(prompt.format(&serde_json::Map::new()), format!("Say {sent}."));
        }
    }
}
