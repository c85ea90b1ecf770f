//! Credentials, without their secrets (manual 8.8).

use crate::domain::accounts::user::DisplayName;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, WorkspaceId};
use crate::domain::workspace::credential::{Credential, CredentialChange};
use crate::time::IsoTime;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A credential.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Credential"))]
pub struct CredentialView {
    id: CredentialId,
    name: String,
    /// Its type.
    credential_name: String,
    created_date: IsoTime,
    updated_date: IsoTime,
    workspace_id: WorkspaceId,
    /// Its fields, with secrets hidden; only when one credential is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Map<String, Value>"))]
    plain_data_obj: Option<Map<String, Value>>,
}

impl From<Credential> for CredentialView {
    fn from(credential: Credential) -> Self {
        let Credential { id, workspace, name, credential_name, created, updated, .. } = credential;
        Self {
            id,
            name,
            credential_name,
            created_date: created.into(),
            updated_date: updated.into(),
            workspace_id: workspace,
            plain_data_obj: None,
        }
    }
}

impl CredentialView {
    /// A credential and its fields, in which every secret is hidden already.
    #[must_use]
    pub fn with_fields(credential: Credential, fields: Map<String, Value>) -> Self {
        Self { plain_data_obj: Some(fields), ..credential.into() }
    }
}

/// The addresses among the fields of a credential, without passwords in them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "CredentialAddresses"))]
pub struct CredentialAddressesView {
    pub plain_data_obj: Map<String, Value>,
}

/// What to change; what is left out stays.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct CredentialEdit {
    #[cfg_attr(feature = "test-support", schemars(length(min = 1, max = 100)))]
    name: Option<String>,
    credential_name: Option<String>,
    plain_data_obj: Option<Map<String, Value>>,
}

impl TryFrom<CredentialEdit> for CredentialChange {
    type Error = Error;

    fn try_from(CredentialEdit { name, credential_name, plain_data_obj }: CredentialEdit) -> Result<Self> {
        let name = name.map(|name| DisplayName::parse("name", &name)).transpose()?;
        Ok(Self { name, credential_name, fields: plain_data_obj })
    }
}

#[cfg(feature = "test-support")]
impl crate::new::NewRecord for CredentialEdit {
    const NAME: &'static str = "NewCredential";
    const ABOUT: &'static str = "A credential to store.";
    const REQUIRED: &'static [&'static str] = &["name", "credentialName"];
}
