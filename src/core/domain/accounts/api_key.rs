//! API keys: `fk_` and 43 random characters, shown once, stored as a hash (manual 8.7). Keys that moved in from Flowise are the
//! 43 characters alone.

use super::caller::{Permission, PermissionSet};
use super::token::{self, Token};
use crate::base::hex::to_hex;
use crate::domain::change::Change;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{KeyId, WorkspaceId};
use crate::domain::predictions::consumption::{Budget, DayUse};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use subtle::ConstantTimeEq as _;

/// What every key value begins with, so that a leaked one is recognised as ours.
pub const PREFIX: &str = "fk_";

/// Longest name of a key, in characters.
const NAME_CHARACTERS_MAX: usize = 120;

/// A stored key. The value itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Key id: what a flow is bound to.
    pub id: KeyId,
    /// The workspace it acts in.
    pub workspace: WorkspaceId,
    pub name: String,
    /// SHA-256 of the value.
    pub hash: [u8; 32],
    /// The last four characters of the value, by which a person tells keys apart.
    pub last_four: String,
    pub permissions: BTreeSet<Permission>,
    /// Requests it was used for, as far as they are stored.
    pub usage: u64,
    /// When it was made.
    pub created: Timestamp,
    /// Moved by renaming and by a change of permissions, not by use.
    pub updated: Timestamp,
    /// True for one that another product made, whose value has no [`PREFIX`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
    /// What may be used with it in a day (manual 5.16).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Budget>,
}

/// Where the key with a known hash is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyOwner {
    pub workspace: WorkspaceId,
    pub id: KeyId,
}

/// A key as a list shows it.
#[derive(Debug, Clone)]
pub struct ApiKeyEntry {
    pub key: ApiKey,
    /// Requests it was used for, those included that are not stored yet.
    pub usage: u64,
    pub flows: Vec<BoundFlow>,
    /// What its budget has been used for today.
    pub used_today: DayUse,
}

/// A flow that is bound to a key.
#[derive(Debug, Clone)]
pub struct BoundFlow {
    pub name: String,
    pub category: Option<String>,
    pub updated: Timestamp,
}

/// What a person decides about a key, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTerms {
    name: String,
    permissions: BTreeSet<Permission>,
    budget: Change<Budget>,
}

impl KeyTerms {
    /// Checks a name and a list of permissions against what the maker may give away.
    ///
    /// # Errors
    /// 400 when the name is empty or too long, when no permission is listed, or when one is unknown, only for
    /// people, or not the maker's own.
    pub fn check(name: &str, permissions: &[String], maker: &PermissionSet) -> Result<Self> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > NAME_CHARACTERS_MAX || name.chars().any(char::is_control)
        {
            return Err(Error::invalid(format!(
                "'keyName' must be a text of 1 to {NAME_CHARACTERS_MAX} characters."
            )));
        }
        if permissions.is_empty() {
            return Err(Error::invalid("'permissions' must list at least one permission."));
        }
        let permissions = permissions.iter().map(|name| grantable(name, maker)).collect::<Result<_>>()?;
        Ok(Self { name: name.to_owned(), permissions, budget: Change::Keep })
    }

    /// These, with what becomes of the budget (manual 5.16).
    ///
    /// # Errors
    /// 400 for what is no budget.
    pub fn with_budget(self, sent: &Change<Value>) -> Result<Self> {
        let budget = match sent {
            Change::Keep => Change::Keep,
            Change::Clear => Change::Clear,
            Change::Set(sent) => {
                let budget = Budget::parse(Some(sent));
                let budget = budget.map_err(|why| Error::Invalid(format!("Invalid budget: {why}.")))?;
                budget.map_or(Change::Clear, Change::Set)
            }
        };
        Ok(Self { budget, ..self })
    }
}

fn grantable(name: &str, maker: &PermissionSet) -> Result<Permission> {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    let Some(permission) = Permission::parse(name) else {
        return Err(Error::invalid(format!("There is no permission '{shown}'.")));
    };
    if !permission.is_allowed_for_keys() {
        return Err(Error::invalid(format!("An API key cannot hold the permission '{shown}'.")));
    }
    if !maker.has(name) {
        return Err(Error::invalid(format!(
            "You cannot give a key the permission '{shown}', which you do not have."
        )));
    }
    Ok(permission)
}

impl ApiKey {
    /// Its hash as text, by which a file says which key it means: it proves nothing to anybody.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        to_hex(&self.hash)
    }

    /// Makes a key and its value. The value is in no other place: show it now or never.
    #[must_use]
    pub fn mint(workspace: WorkspaceId, terms: KeyTerms, now: Timestamp) -> (Self, String) {
        let value = format!("{PREFIX}{}", Token::random().as_str());
        let key = Self {
            id: KeyId::random(),
            workspace,
            name: terms.name,
            hash: token::hash(&value),
            last_four: value[value.len() - 4..].to_owned(),
            permissions: terms.permissions,
            usage: 0,
            created: now,
            updated: now,
            foreign: false,
            budget: terms.budget.apply(None),
        };
        (key, value)
    }

    /// The key that another product made with this value, which goes on opening what its holder uses it for.
    ///
    /// # Errors
    /// 400 for a value that could be guessed.
    pub fn adopt(
        id: KeyId,
        workspace: WorkspaceId,
        terms: KeyTerms,
        value: &str,
        now: Timestamp,
    ) -> Result<Self> {
        if !token::is_well_formed(value) {
            return Err(Error::invalid(
                "Its value is not one that Flowise makes: make a new key in its place.",
            ));
        }
        Ok(Self {
            id,
            workspace,
            name: terms.name,
            hash: token::hash(value),
            last_four: value[value.len() - 4..].to_owned(),
            permissions: terms.permissions,
            usage: 0,
            created: now,
            updated: now,
            foreign: true,
            budget: terms.budget.apply(None),
        })
    }

    /// The same key under new terms. Its value stays.
    #[must_use]
    pub fn with_terms(self, terms: KeyTerms, now: Timestamp) -> Self {
        Self {
            name: terms.name,
            permissions: terms.permissions,
            budget: terms.budget.apply(self.budget),
            updated: now,
            ..self
        }
    }

    /// True when `value` is this key's; compared in constant time.
    #[must_use]
    pub fn matches(&self, value: &str) -> bool {
        self.hash.ct_eq(&token::hash(value)).into()
    }

    /// The value as lists show it.
    #[must_use]
    pub fn masked_value(&self) -> String {
        let prefix = if self.foreign { "" } else { PREFIX };
        format!("{prefix}••••{}", self.last_four)
    }

    /// What its holder may do.
    #[must_use]
    pub fn permission_set(&self) -> PermissionSet {
        PermissionSet::Only(self.permissions.clone())
    }
}

/// True for a text that could be a key value; anything else need not be looked up.
#[must_use]
pub fn is_well_formed(value: &str) -> bool {
    token::is_well_formed(value.strip_prefix(PREFIX).unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    fn minted() -> (ApiKey, String) {
        let terms = KeyTerms::check("ci", &names(&["chatflows:view"]), &PermissionSet::All).unwrap();
        ApiKey::mint(WorkspaceId::random(), terms, Timestamp::from_second(1).unwrap())
    }

    #[test]
    fn a_value_opens_its_own_key_only() {
        let (key, value) = minted();
        assert!(is_well_formed(&value) && value.len() == 46);
        assert!(key.matches(&value));
        assert!(!key.matches(&minted().1));
        assert!(!key.matches(""));
        assert_eq!(key.masked_value(), format!("fk_••••{}", &value[42..]));
        assert!(!serde_json::to_string(&key).unwrap().contains(&value[3..]));
    }

    #[test]
    fn only_key_shaped_text_is_looked_up() {
        let (_, value) = minted();
        for bad in ["", "fk_", &value[4..], &format!("{value}x"), &value.to_uppercase()] {
            assert!(!is_well_formed(bad), "{bad}");
        }
    }

    #[test]
    fn a_key_of_another_product_opens_with_its_own_value_and_is_shown_without_our_mark() {
        let terms = || KeyTerms::check("ci", &names(&["chatflows:view"]), &PermissionSet::All).unwrap();
        let adopt = |value: &str| {
            ApiKey::adopt(KeyId::random(), WorkspaceId::random(), terms(), value, Timestamp::UNIX_EPOCH)
        };
        let value = "Y68fAMSi73mtJg392veXFkp9-rH-RJkUtvwULPIiPmI";
        let key = adopt(value).unwrap();
        assert!(is_well_formed(value) && key.matches(value) && !key.matches(&format!("fk_{value}")));
        assert_eq!(key.masked_value(), "••••iPmI");
        let stored = serde_json::to_string(&key).unwrap();
        assert!(!stored.contains(value));
        assert_eq!(serde_json::from_str::<ApiKey>(&stored).unwrap(), key);
        for weak in ["", "secret", "fk_Y68fAMSi73mtJg392veXFkp9-rH-RJkUtvwULPIiPmI"] {
            assert!(adopt(weak).is_err(), "{weak}");
        }
    }

    #[test]
    fn terms_stay_within_what_the_maker_may() {
        let maker = PermissionSet::Only([Permission::parse("chatflows:view").unwrap()].into());
        let check = |list: &[&str]| KeyTerms::check("k", &names(list), &maker);
        assert!(check(&["chatflows:view", "chatflows:view"]).is_ok());
        for bad in
            [&[][..], &["chatflows:delete"], &["nonsense"], &["chatflows:view", "x:y"], &["workspace:view"]]
        {
            assert!(matches!(check(bad), Err(Error::Invalid(_))), "{bad:?}");
        }
        assert!(KeyTerms::check("k", &names(&["workspace:view"]), &PermissionSet::All).is_err());
        for name in ["", "  ", "a\nb", &"x".repeat(121)] {
            assert!(
                KeyTerms::check(name, &names(&["chatflows:view"]), &PermissionSet::All).is_err(),
                "{name:?}"
            );
        }
    }
}
