//! Addresses with references: what a caller or a model says stays within the place in the path or the query where its owner put it.

use super::{Scope, replacement};
use crate::canvas::rich_text::to_markdown;
use crate::canvas::template::{AgentReference, AgentTemplate, RunText, Segment};
use crate::engine::agentflow::written_out::{is_written_out, names_host};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;
use std::ops::Range;

/// What ends no segment of a path and no parameter of a query (RFC 3986, unreserved characters) stays.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// An address that its owner wrote.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AddressSource {
    text: String,
    /// `None` where nothing in it is a reference.
    template: Option<AgentTemplate>,
    /// Scheme, host and port are plain text.
    pub(crate) is_written_out: bool,
}

impl AddressSource {
    #[must_use]
    pub(crate) fn from_saved(value: &Value) -> Self {
        let text = to_markdown(value.as_str().unwrap_or_default());
        Self { is_written_out: is_written_out(&text), template: AgentTemplate::parse(&text), text }
    }

    /// The address. Saved variables stand for anything in it, other references for a value behind the host.
    ///
    /// # Errors
    /// A sentence that says why it leads elsewhere than its owner meant.
    pub(crate) fn resolve(&self, scope: &dyn Scope) -> Result<String, String> {
        let Some(template) = &self.template else { return Ok(self.text.clone()) };
        let mut address = String::new();
        let mut put_in: Vec<Range<usize>> = Vec::new();
        for segment in template.segments() {
            let (to, written) = match segment {
                Segment::Text(text) => {
                    address.push_str(text);
                    continue;
                }
                Segment::Reference { to, written } => (to, written),
            };
            match replacement(scope, to) {
                None => address.push_str(written),
                Some(text) if is_owners(to) => address.push_str(&text),
                Some(_) if !has_host(&address) => {
                    return Err(format!(
                        "{written} cannot stand there: only saved variables may say what is called, and other values stand behind the host"
                    ));
                }
                Some(text) => {
                    let start = address.len();
                    address.extend(utf8_percent_encode(&text, ESCAPED));
                    put_in.push(start..address.len());
                }
            }
        }
        match put_in.iter().any(|range| leads_elsewhere(&address, range)) {
            true => Err("what is put into the path leads elsewhere: it is empty, '.' or '..'".to_owned()),
            false => Ok(address),
        }
    }
}

/// True for what the workspace's people saved: no caller has a say in it.
const fn is_owners(reference: &AgentReference) -> bool {
    matches!(reference, AgentReference::Text(RunText::Variable(_)))
}

/// True when scheme, host and port are over.
fn has_host(address: &str) -> bool {
    names_host(address).is_some_and(|rest| rest.starts_with(['/', '?', '#']))
}

/// True when a value makes the segment of the path that it stands in one that is left out, or that goes up.
fn leads_elsewhere(address: &str, value: &Range<usize>) -> bool {
    let path_end = address.find(['?', '#']).unwrap_or(address.len());
    if value.start > path_end {
        return false;
    }
    let start = address[..value.start].rfind('/').map_or(0, |at| at + 1);
    let end = address[value.end..path_end].find('/').map_or(path_end, |at| value.end + at);
    let segment = percent_decode_str(&address[start..end]).decode_utf8_lossy();
    ["", ".", ".."].contains(&&*segment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::template::RunValue;
    use proptest::prelude::*;
    use serde_json::json;
    use std::borrow::Cow;
    use url::Url;

    struct QuestionScope<'a>(&'a str);

    impl Scope for QuestionScope<'_> {
        fn text(&self, name: &RunText) -> Option<Cow<'_, str>> {
            match name {
                RunText::Question => Some(self.0.into()),
                RunText::Variable(name) if name == "base" => Some("http://a.example/v1".into()),
                _ => None,
            }
        }

        fn value(&self, _: &RunValue) -> Option<Cow<'_, Value>> {
            None
        }
    }

    fn resolve(address: &str, said: &str) -> Result<String, String> {
        AddressSource::from_saved(&json!(address)).resolve(&QuestionScope(said))
    }

    #[test]
    fn a_value_stands_in_path_and_query_where_it_was_put() {
        let address = "http://a.example/orders/{{ question }}/x?q={{ question }}&all=1#{{ question }}";
        assert_eq!(
            resolve(address, "7/8?&#é").unwrap(),
            "http://a.example/orders/7%2F8%3F%26%23%C3%A9/x?q=7%2F8%3F%26%23%C3%A9&all=1#7%2F8%3F%26%23%C3%A9"
        );
        assert_eq!(resolve("http://a.example/x-{{ question }}", "").unwrap(), "http://a.example/x-");
        assert_eq!(resolve("http://a.example?q={{ question }}", "").unwrap(), "http://a.example?q=");
    }

    #[test]
    fn saved_variables_stand_for_anything_and_unknown_references_stay() {
        assert_eq!(resolve("{{ $vars.base }}/{{ question }}", "7").unwrap(), "http://a.example/v1/7");
        assert_eq!(resolve("http://a.example/{{ x_0 }}", "7").unwrap(), "http://a.example/{{ x_0 }}");
        assert_eq!(resolve("http://a.example/", "7").unwrap(), "http://a.example/");
    }

    #[test]
    fn nobody_but_the_owner_says_what_is_called() {
        for address in [
            "{{ question }}",
            "{{ question }}/x",
            "http://{{ question }}/x",
            "http://a.example{{ question }}",
            "http://a.example:{{ question }}/",
            "http://{{ question }}@a.example/",
        ] {
            let told = resolve(address, "b.example").unwrap_err();
            assert!(told.starts_with("{{ question }} cannot stand there"), "{address}: {told}");
        }
    }

    #[test]
    fn a_value_that_goes_up_or_leaves_out_a_segment_is_refused() {
        for said in ["", ".", ".."] {
            assert!(resolve("http://a.example/orders/{{ question }}/x", said).is_err(), "{said}");
            assert!(resolve("http://a.example/orders/{{ question }}", said).is_err(), "{said}");
        }
        assert!(resolve("http://a.example/orders/{{ question }}{{ question }}?q", ".").is_err());
        assert!(resolve("http://a.example/orders/.{{ question }}/x", ".").is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_value_changes_the_shape_of_an_address(said in ".{0,12}|[./?#&=%@:\\\\]{0,8}") {
            if let Ok(address) = resolve("http://a.example:81/orders/{{ question }}/x?q={{ question }}&b=1", &said) {
                let url = Url::parse(&address).unwrap();
                prop_assert_eq!((url.host_str(), url.port()), (Some("a.example"), Some(81)));
                let path: Vec<&str> = url.path_segments().unwrap().collect();
                prop_assert_eq!((path.len(), path[0], path[2]), (3, "orders", "x"));
                let query: Vec<_> = url.query_pairs().collect();
                prop_assert_eq!(query.len(), 2);
                prop_assert_eq!(&query[0].1, &said);
            }
        }
    }
}
