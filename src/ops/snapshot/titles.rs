//! Titles and details of versions, in words a person likes to read (spec 2.7).

use crate::canvas::diff::{ChangedNode, Diff};
use crate::cards::registry;
use crate::domain::flow::{Flow, FlowSettings};
use crate::domain::version::VersionKind;
use crate::ops::live::Origin;

/// What a version says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// One line.
    pub title: String,
    /// More lines: one for each change, when the title does not hold them all.
    pub details: Vec<String>,
}

/// A title names this many changes and counts the rest.
const NAMED_MAX: usize = 3;
/// A change of a card names this many of its settings and counts the rest.
const FIELDS_MAX: usize = 3;
/// The most detail lines of a version.
const DETAILS_MAX: usize = 100;

/// Says what a change of Live is. `before` is the flow as it was; `None` for a new one.
#[must_use]
pub fn tell(kind: VersionKind, origin: &Origin, before: Option<&Flow>, after: &Flow, diff: &Diff) -> Told {
    let changes = changes(before, after, diff);
    let what = summary(&changes);
    let title = match (kind, origin) {
        (VersionKind::Create, _) => format!("Created: {}", after.name),
        (VersionKind::Publish, _) => format!("Published: {what}"),
        (VersionKind::Rollback, Origin::Version { title, sha }) => {
            format!("Rolled back Live to: {title} ({})", sha.short())
        }
        (VersionKind::Restore, Origin::Version { title, sha }) => {
            format!("Restored: {title} ({})", sha.short())
        }
        (VersionKind::Promote, Origin::Version { title, sha }) => {
            format!("Promoted from Dev: {title} ({})", sha.short())
        }
        _ => capital(&what),
    };
    let details = if changes.len() > 1 {
        changes.into_iter().take(DETAILS_MAX).map(|change| capital(&change)).collect()
    } else {
        Vec::new()
    };
    Told { title, details }
}

fn changes(before: Option<&Flow>, after: &Flow, diff: &Diff) -> Vec<String> {
    let mut changes = Vec::new();
    if let Some(before) = before {
        if before.name != after.name {
            changes.push(format!("renamed to {}", after.name));
        }
        if before.kind != after.kind {
            changes.push(format!("changed the type to {}", after.kind));
        }
        if before.category != after.category {
            changes.push("changed the tags".to_owned());
        }
    }
    changes.extend(diff.added.iter().map(|node| format!("added {}", shown(&node.label, &node.name))));
    changes.extend(diff.removed.iter().map(|node| format!("removed {}", shown(&node.label, &node.name))));
    changes.extend(diff.changed.iter().map(of_card));
    if diff.edges_changed && diff.added.is_empty() && diff.removed.is_empty() {
        changes.push("changed connections".to_owned());
    }
    if let Some(before) = before {
        changes.extend(
            settings(&before.settings, &after.settings).into_iter().map(|name| format!("changed {name}")),
        );
    }
    if changes.is_empty() && !diff.moved.is_empty() {
        changes.push("moved cards".to_owned());
    }
    changes
}

fn shown<'a>(label: &'a str, name: &'a str) -> &'a str {
    if label.is_empty() { name } else { label }
}

fn of_card(node: &ChangedNode) -> String {
    let card = registry::find(&node.name);
    let label = |field: &String| {
        let declared = card.and_then(|card| card.input(field)).map(|input| input.label.to_owned());
        declared.unwrap_or_else(|| field.clone())
    };
    let mut fields: Vec<String> = node.fields.iter().take(FIELDS_MAX).map(label).collect();
    if node.fields.len() > FIELDS_MAX {
        fields.push(format!("{} more", node.fields.len() - FIELDS_MAX));
    }
    format!("changed {} ({})", shown(&node.label, &node.name), fields.join(", "))
}

/// The settings that differ, by the name their dialog has.
fn settings(before: &FlowSettings, after: &FlowSettings) -> Vec<&'static str> {
    let part = |settings: &FlowSettings, name: &str| {
        settings.api_config.as_ref().and_then(|config| config.get(name).cloned())
    };
    let chat = |settings: &FlowSettings, name: &str| {
        settings.chatbot_config.as_ref().and_then(|config| config.get(name).cloned())
    };
    let mut names = Vec::new();
    let mut note = |differs: bool, name: &'static str| {
        if differs {
            names.push(name);
        }
    };
    note(before.api_key != after.api_key, "the API key binding");
    note(part(before, "rateLimit") != part(after, "rateLimit"), "Rate Limit");
    note(part(before, "overrideConfig") != part(after, "overrideConfig"), "Override Config");
    note(chat(before, "allowedOrigins") != chat(after, "allowedOrigins"), "Allowed Domains");
    note(chat(before, "starterPrompts") != chat(after, "starterPrompts"), "starter prompts");
    note(chat(before, "fullFileUpload") != chat(after, "fullFileUpload"), "file upload settings");
    note(before.publish_instantly != after.publish_instantly, "Publish instantly");
    note(before.speech_to_text != after.speech_to_text, "Speech to Text");
    note(before.follow_up_prompts != after.follow_up_prompts, "follow-up prompts");
    note(before.is_public != after.is_public, "the shared link");
    let named = !names.is_empty();
    if !named && before != after {
        names.push(if before.chatbot_config == after.chatbot_config {
            "settings"
        } else {
            "chatbot settings"
        });
    }
    names
}

fn summary(changes: &[String]) -> String {
    match changes.len() {
        0 => "no visible change".to_owned(),
        count if count <= NAMED_MAX => changes.join(", "),
        count => format!("{} and {} more", changes[..NAMED_MAX].join(", "), count - NAMED_MAX),
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::diff::NodeName;

    fn changed(count: usize) -> ChangedNode {
        let fields = ["temperature", "modelName", "maxTokens", "topP", "zz"][..count]
            .iter()
            .map(|field| (*field).to_owned());
        ChangedNode {
            id: "a".into(),
            label: "My model".into(),
            fields: fields.collect(),
            name: "chatOpenAI".into(),
        }
    }

    #[test]
    fn settings_are_named_by_label_and_counted_past_a_few() {
        assert_eq!(of_card(&changed(2)), "changed My model (Temperature, Model Name)");
        assert_eq!(of_card(&changed(5)), "changed My model (Temperature, Model Name, Max Tokens, 2 more)");
    }

    #[test]
    fn many_changes_are_counted() {
        let list: Vec<String> = (0..5).map(|n| format!("added {n}")).collect();
        assert_eq!(summary(&list), "added 0, added 1, added 2 and 2 more");
        assert_eq!(capital("added x"), "Added x");
        let node = NodeName { id: "n".into(), label: String::new(), name: "calculator".into() };
        assert_eq!(shown(&node.label, &node.name), "calculator");
    }
}
