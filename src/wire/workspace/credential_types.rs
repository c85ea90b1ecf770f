//! Types of credentials, as a form shows them (manual 8.8).

use crate::choice::ChoiceView;
use crate::domain::workspace::credential_types::{CredentialField, CredentialType, FieldKind};
use serde::Serialize;

/// A type of credential.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CredentialType"))]
pub struct CredentialTypeView {
    label: &'static str,
    name: &'static str,
    version: u32,
    inputs: Vec<CredentialFieldView>,
    /// A person signs in to it at its provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    sign_in: Option<bool>,
}

/// One type, or several that were asked for as `a&b`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum CredentialTypeOrTypes {
    Type(CredentialTypeView),
    Types(Vec<CredentialTypeView>),
}

/// A field of a credential.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CredentialField"))]
struct CredentialFieldView {
    label: &'static str,
    name: &'static str,
    r#type: FieldType,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "bool"))]
    optional: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "FieldDefault"))]
    default: Option<FieldDefault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<ChoiceView>"))]
    options: Option<Vec<ChoiceView>>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum FieldType {
    String,
    Password,
    Url,
    Number,
    Boolean,
    Options,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
enum FieldDefault {
    Text(&'static str),
    Number(#[cfg_attr(feature = "test-support", schemars(with = "f64"))] i64),
}

impl From<&'static CredentialType> for CredentialTypeView {
    fn from(kind: &'static CredentialType) -> Self {
        Self {
            label: kind.label,
            name: kind.name,
            version: 1,
            inputs: kind.fields.iter().map(CredentialFieldView::from).collect(),
            sign_in: kind.has_sign_in().then_some(true),
        }
    }
}

impl From<&'static CredentialField> for CredentialFieldView {
    fn from(field: &'static CredentialField) -> Self {
        let (r#type, options) = match field.kind {
            FieldKind::Text => (FieldType::String, None),
            FieldKind::Password => (FieldType::Password, None),
            FieldKind::Url => (FieldType::Url, None),
            FieldKind::Number => (FieldType::Number, None),
            FieldKind::Boolean => (FieldType::Boolean, None),
            FieldKind::Options(options) => (FieldType::Options, Some(options)),
        };
        let choice = |name: &&str| ChoiceView {
            label: (*name).to_owned(),
            name: (*name).to_owned(),
            description: None,
        };
        // A number field starts with a number, as everywhere in Flowise.
        let default = |text: &'static str| match (field.kind, text.parse()) {
            (FieldKind::Number, Ok(number)) => FieldDefault::Number(number),
            _ => FieldDefault::Text(text),
        };
        Self {
            label: field.label,
            name: field.name,
            r#type,
            optional: field.optional.then_some(true),
            default: field.default.map(default),
            options: options.map(|options| options.iter().map(choice).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::workspace::credential_types::find_type;
    use serde_json::json;

    #[test]
    fn the_form_has_the_shape_clients_read() {
        let form = CredentialTypeView::from(find_type("redisCacheApi").unwrap());
        let form = serde_json::to_value(form).unwrap();
        assert_eq!(
            form["inputs"][0],
            json!({"label": "Redis Cache Host", "name": "redisCacheHost", "type": "string", "default": "127.0.0.1"})
        );
        assert_eq!(form["inputs"][1]["default"], 6379);
        assert_eq!((&form["name"], &form["version"]), (&json!("redisCacheApi"), &json!(1)));
    }
}
