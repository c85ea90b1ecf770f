//! How many values a JSON text holds, counted before it becomes any: a list of zeros takes sixteen times its length in
//! memory, and more as objects.

/// The most values of one reply of a model, or of one event of it: far beyond what any model writes.
pub(in crate::llm) const REPLY_VALUES_MAX: usize = 200_000;
/// The most values of an answer of a database, whose chunks may come with their vectors.
pub(in crate::llm) const EXCHANGE_VALUES_MAX: usize = 1_000_000;
/// The most numbers of an answer that holds the vectors of one batch of texts.
pub(in crate::llm) const VECTORS_VALUES_MAX: usize = 4_000_000;

/// True when `text` holds at most about so many values. What is no JSON is judged all the same; reading it says so.
pub(in crate::llm) fn is_within(text: &[u8], values_max: usize) -> bool {
    // Each value takes a byte at least.
    if text.len() <= values_max {
        return true;
    }
    let mut values = 1_usize;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while matches!(bytes.next(), Some(byte) if *byte != b'"' && (*byte != b'\\' || bytes.next().is_some()))
                {
                }
            }
            b',' | b'[' | b'{' => values += 1,
            _ => {}
        }
    }
    values <= values_max
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_and_what_stands_in_texts_is_not() {
        let long = format!("[\"{}\"]", "[{,\\\"".repeat(100));
        for (text, values) in
            [("[0,0,0,0]", 5), ("{\"a\":[],\"b\":{}}", 5), (long.as_str(), 2), ("[[[[[[]", 7)]
        {
            assert!(is_within(text.as_bytes(), values), "{text}");
            assert!(!is_within(text.as_bytes(), values - 1), "{text}");
        }
        assert!(is_within(&b"\"never closed, [[[[ \\"[..], 3));
    }
}
