//! The server's own secrets, and that they are those of its database (manual 12.7 r1).

use crate::domain::error::Result;
use crate::files::secrets::{NAMES, SecretFingerprints};
use crate::store::tables::{CREDENTIALS, SECRET_FINGERPRINTS, WEBHOOK_SECRETS, WORKSPACES};
use crate::store::{ReadTx, Store};
use std::collections::BTreeMap;

/// What the database knows of the secrets it was used with.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn load_fingerprints(store: &Store) -> Result<SecretFingerprints> {
    store.read(|tx| {
        let print = |name: &str| Ok(SECRET_FINGERPRINTS.get(tx, name)?.map(|print| (name.to_owned(), print)));
        let prints = NAMES.into_iter().filter_map(|name| print(name).transpose()).collect::<Result<_>>()?;
        Ok(SecretFingerprints { by_name: prints, holds_credentials: has_credentials(tx)? })
    })
}

fn has_credentials(tx: &ReadTx) -> Result<bool> {
    for workspace in WORKSPACES.list(tx)? {
        if CREDENTIALS.count(tx, &workspace.id)? > 0 || WEBHOOK_SECRETS.count(tx, &workspace.id)? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lets the database know the secrets it is used with from now on.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn save_fingerprints(
    store: &Store,
    known: &SecretFingerprints,
    prints: &BTreeMap<String, String>,
) -> Result<()> {
    if *prints == known.by_name {
        return Ok(());
    }
    store.write(|tx| prints.iter().try_for_each(|(name, print)| SECRET_FINGERPRINTS.put(tx, name, print)))
}

#[cfg(test)]
mod tests {
    use crate::app::{App, AppOpenError};
    use crate::domain::accounts::user::DisplayName;
    use crate::domain::workspace::credential::CredentialChange;
    use crate::domain::workspace::credential_types::find_type;
    use crate::files::secrets::SecretsError;
    use crate::ops::workspace::credentials;
    use crate::settings::{Environment, Settings};

    fn opened(settings: &Settings) -> Result<App, AppOpenError> {
        App::open(settings.clone(), Environment::new(|_| None))
    }

    #[test]
    fn stored_credentials_outlive_no_other_key() {
        let (folder, app, caller) = App::with_owner();
        let (path, set) = (folder.path().join("secrets/credentials.key"), app.settings.clone());
        let keyed = Settings { encryption_key: Some([9; 32]), ..set.clone() };
        drop(app);
        // As long as there are none, any key will do.
        drop(opened(&keyed).unwrap());
        let app = opened(&set).unwrap();
        let fields = serde_json::json!({"openAIApiKey": "sk-1"});
        let change = CredentialChange {
            name: Some(DisplayName::parse("name", "Key").unwrap()),
            credential_name: Some("openAIApi".to_owned()),
            fields: fields.as_object().cloned(),
        };
        credentials::create(&app, &caller, find_type, &change).unwrap();
        drop(app);
        let refused = opened(&keyed).err().unwrap();
        assert!(
            matches!(refused, AppOpenError::Secrets(SecretsError::Mismatch { is_set: true, .. })),
            "{refused}"
        );
        let secret = std::fs::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let refused = opened(&set).err().unwrap();
        assert!(matches!(refused, AppOpenError::Secrets(SecretsError::Missing { .. })), "{refused}");
        std::fs::write(&path, &secret).unwrap();
        drop(opened(&set).unwrap());
        // The same key by way of the setting is the same key.
        let same = Settings { encryption_key: Some(secret.try_into().unwrap()), ..set };
        drop(opened(&same).unwrap());
    }
}
