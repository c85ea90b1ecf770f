//! Addresses whose scheme, host and port stand in a card as plain text (manual 12.5 r3).

use crate::canvas::rich_text::to_markdown;
use crate::canvas::template::{AgentTemplate, Segment};
use std::borrow::Cow;

/// True when nothing but the owner's own text decides where a call of this address goes: whatever a reference stands for
/// comes behind the host and the port.
pub(super) fn is_written_out(address: &str) -> bool {
    let address = to_markdown(address);
    let template = AgentTemplate::parse(&address);
    let plain: Cow<'_, str> = match template.as_ref().map(AgentTemplate::segments) {
        None => return names_host(&address).is_some(),
        Some([Segment::Text(text), ..]) => text.as_str().into(),
        Some(_) => return false,
    };
    // What follows the host may begin with a reference only where the host has ended.
    names_host(&plain).is_some_and(|rest| rest.starts_with(['/', '?', '#']))
}

/// What follows scheme, host and port.
pub(super) fn names_host(address: &str) -> Option<&str> {
    let (scheme, rest) = address.trim_start().split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let is_known = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (is_known && end > 0).then(|| &rest[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_references_is_written_out() {
        for address in ["http://127.0.0.1:8080", " https://a.example/x?q=1", "http://[::1]:80/"] {
            assert!(is_written_out(address), "{address}");
        }
    }

    #[test]
    fn references_behind_the_host_leave_it_written_out() {
        for address in [
            "http://a.example/{{ $vars.path }}",
            "http://a.example:1?q={{question}}",
            "http://a.example/x/{{ llmAgentflow_0 }}/y",
        ] {
            assert!(is_written_out(address), "{address}");
        }
    }

    #[test]
    fn a_reference_in_scheme_host_or_port_is_not_written_out() {
        for address in [
            "{{ $vars.base }}/x",
            "{{ $vars.scheme }}://a.example/",
            "http://{{ $vars.host }}/",
            "http://a{{ $vars.host }}/",
            "http://a.example:{{ $vars.port }}/",
            "http://a.example:1{{ $vars.rest }}",
            "http:{{ $vars.rest }}",
            "http:/{{ $vars.rest }}",
        ] {
            assert!(!is_written_out(address), "{address}");
        }
    }

    #[test]
    fn what_is_no_address_is_not_written_out() {
        for address in ["", "a.example", "ftp://a.example/", "http://", "file:///x"] {
            assert!(!is_written_out(address), "{address}");
        }
    }
}
