//! The path before all addresses of the service, where people reach it at one (`SERVICE_BASE_URL`).
//!
//! A proxy may pass that path on or take it away, so both are understood: a request means what its path says without the
//! prefix, where that leads somewhere, and else what it says as it came. The second keeps `/flows/:id` reachable behind a
//! proxy that took a prefix `/flows` away.

/// What the path of a request may mean, in the order in which it is tried.
pub(in crate::http) fn candidate_paths<'p>(
    path: &'p str,
    prefix: &str,
) -> impl Iterator<Item = &'p str> + use<'p> {
    let rest = path.strip_prefix(prefix).filter(|_| !prefix.is_empty());
    let without = match rest {
        Some("") => Some("/"),
        Some(rest) if rest.starts_with('/') => Some(rest),
        Some(_) | None => None,
    };
    without.into_iter().chain([path])
}

/// A document of the page, for a service at this prefix: what it names is named from there, and it can read the prefix.
pub(in crate::http) fn insert_prefix(document: &str, prefix: &str) -> String {
    let mut placed = document.to_owned();
    for attribute in ["href", "src", "action"] {
        for start in ["/", "./"] {
            placed =
                placed.replace(&format!("{attribute}=\"{start}"), &format!("{attribute}=\"{PLACEHOLDER}"));
        }
    }
    placed = placed.replace(PLACEHOLDER, &format!("{prefix}/"));
    if prefix.is_empty() {
        return placed;
    }
    placed.replacen("<head>", &format!("<head>\n    <meta name=\"base-path\" content=\"{prefix}\" />"), 1)
}

/// Stands for the prefix while it is put in; no document holds it.
const PLACEHOLDER: &str = "\u{0}";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_read_without_its_prefix_first() {
        let read = |path, prefix| candidate_paths(path, prefix).collect::<Vec<_>>();
        assert_eq!(read("/flows/api/v1/ping", "/flows"), ["/api/v1/ping", "/flows/api/v1/ping"]);
        assert_eq!(read("/flows/", "/flows"), ["/", "/flows/"]);
        assert_eq!(read("/flows", "/flows"), ["/", "/flows"]);
        assert_eq!(read("/flowsome/x", "/flows"), ["/flowsome/x"]);
        assert_eq!(read("/Flows/x", "/flows"), ["/Flows/x"]);
        assert_eq!(read("/a/b/x", "/a/b"), ["/x", "/a/b/x"]);
        assert_eq!(read("/x", ""), ["/x"]);
    }

    #[test]
    fn a_document_names_everything_from_the_prefix() {
        let document =
            "<head><link href=\"/a.css\"><script src=\"./app/b.js\"></script></head><a href=\"https://c\">";
        assert_eq!(
            insert_prefix(document, "/flows"),
            "<head>\n    <meta name=\"base-path\" content=\"/flows\" /><link href=\"/flows/a.css\"><script src=\"/flows/app/b.js\">\
             </script></head><a href=\"https://c\">"
        );
        assert_eq!(insert_prefix(document, ""), document.replace("./app", "/app"));
    }
}
