//! The catalogue of permissions (manual 1.7 r2).

use serde::{Serialize, Serializer};

/// Permissions by category, in the order of the catalogue.
#[derive(Debug)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub struct PermissionCatalogueView(
    #[cfg_attr(
        feature = "test-support",
        schemars(with = "std::collections::BTreeMap<String, Vec<PermissionView>>")
    )]
    Vec<(&'static str, Vec<PermissionView>)>,
);

/// A permission.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "PermissionRow"))]
struct PermissionView {
    key: String,
    /// In words.
    value: String,
    is_open_source: bool,
    is_enterprise: bool,
    is_cloud: bool,
}

impl PermissionCatalogueView {
    /// The categories with their actions, without those permissions that are not `offered` and without categories in which
    /// none is left.
    pub fn new(categories: &[(&'static str, &[&str])], offered: impl Fn(&str) -> bool) -> Self {
        let categories = categories.iter().map(|(category, actions)| {
            let named = actions.iter().map(|action| (format!("{category}:{action}"), title_case(action)));
            let rows = named.filter(|(key, _)| offered(key)).map(|(key, value)| PermissionView {
                key,
                value,
                is_open_source: true,
                is_enterprise: true,
                is_cloud: true,
            });
            (*category, rows.collect::<Vec<_>>())
        });
        Self(categories.filter(|(_, rows)| !rows.is_empty()).collect())
    }
}

impl Serialize for PermissionCatalogueView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(category, rows)| (category, rows)))
    }
}

/// `add-loader` reads `Add Loader`.
fn title_case(action: &str) -> String {
    let words = action.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_words() {
        assert_eq!(
            (title_case("view"), title_case("add-loader")),
            ("View".to_owned(), "Add Loader".to_owned())
        );
    }
}
