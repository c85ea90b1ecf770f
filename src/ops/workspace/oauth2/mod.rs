//! Signing in to credentials with OAuth 2: a person leaves for the provider, comes back with a code, and the tokens it buys
//! are sealed with the credential. Runs renew them by themselves.

mod exchange;
mod renew;

use self::exchange::TokenError;
pub(crate) use self::renew::{access_token, refresh};
use super::{audit, credentials};
use crate::app::App;
use crate::domain::accounts::caller::{Caller, Principal};
use crate::domain::accounts::token::Token;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, UserId, WorkspaceId};
use crate::domain::workspace::audit::{AuditAction, AuditEntry, AuditTargetKind};
use crate::domain::workspace::credential::Credential;
use crate::domain::workspace::oauth2::{Application, OauthTokens, SignInOffer};
use crate::state::pending_sign_ins::PendingSignIn;
use crate::store::WriteTx;
use crate::store::tables::CREDENTIALS;
use serde_json::{Map, Value};

/// Begins a sign-in: the address that a person opens, and the one they come back to.
///
/// # Errors
/// 404 for an unknown credential; 400 where nobody signs in to it, or it lacks what a sign-in needs.
pub(crate) fn authorize(
    app: &App,
    caller: &Caller,
    id: CredentialId,
    redirect: String,
) -> Result<SignInOffer> {
    let stored = app.store.read(|tx| credentials::get(tx, caller, &id))?;
    let fields = credentials::decrypt(&app.secrets.vault, &stored)?;
    let application = Application::from_fields(&stored.credential_name, &fields)?;
    let (state, verifier) = (Token::random(), Token::random().as_str().to_owned());
    let url = application.authorization_url(&redirect, state.as_str(), &verifier);
    let begun =
        PendingSignIn { caller: caller.clone(), credential: stored.id, redirect: redirect.clone(), verifier };
    app.state.pending_sign_ins.insert(&state, begun, app.clock.now());
    tracing::info!(credential = %stored.id, by = %caller.principal, "a sign-in at a provider was begun");
    Ok(SignInOffer { credential: stored.id, provider: application.provider().label, url, redirect })
}

/// What a person brings back.
#[derive(Clone, Copy)]
pub(crate) struct CallbackQuery<'a> {
    /// The word of the sign-in.
    pub state: Option<&'a str>,
    pub code: Option<&'a str>,
    /// Why there is no code, in the provider's word.
    pub error: Option<&'a str>,
    /// The signed-in person whose browser it is.
    pub visitor: Option<UserId>,
}

/// Why a sign-in did not end well. None of them holds what came with the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInError {
    /// The word is forged, was used already, is too old, or the service has been restarted.
    Unknown,
    /// Somebody else began it, or the same person in another browser.
    NotYours,
    Denied,
    /// The provider did, or brought no code.
    Refused,
    /// The credential was deleted or changed meanwhile.
    Changed,
    /// The provider does not know the application or its secret.
    Application,
    /// The provider does not take the code.
    Code,
    /// The provider did not answer, or not as providers do.
    Provider,
    /// The tokens could not be stored.
    Here,
}

/// Ends a sign-in: the code becomes tokens, which are sealed with the credential. Its word counts once, whatever
/// comes of it.
///
/// # Errors
/// Why there are none.
pub(crate) fn finish(app: &App, returned: &CallbackQuery<'_>) -> Result<(), SignInError> {
    let taken = returned.state.and_then(|state| app.state.pending_sign_ins.take(state, app.clock.now()));
    let begun = taken.ok_or(SignInError::Unknown)?;
    // Without this, somebody could have another person sign in to a credential that is not that person's.
    if let Principal::User { id, .. } = &begun.caller.principal
        && returned.visitor != Some(*id)
    {
        return Err(SignInError::NotYours);
    }
    if let Some(error) = returned.error {
        return Err(if error == "access_denied" { SignInError::Denied } else { SignInError::Refused });
    }
    let code = returned.code.filter(|code| !code.is_empty()).ok_or(SignInError::Refused)?;
    let workspace = begun.caller.workspace;
    let signed =
        OAuthCredential::find(app, &workspace, &begun.credential).map_err(|error| sign_in_error(&error))?;
    let signed = signed.ok_or(SignInError::Changed)?;
    let form = signed.application.exchange_form(code, &begun.redirect, &begun.verifier);
    let secrets = [code, &begun.verifier, signed.application.secret()];
    let answer = exchange::request_tokens(app, &signed.application, &form, &secrets).map_err(|fault| {
        tracing::warn!(credential = %begun.credential, %fault, "a sign-in at a provider failed");
        match fault {
            TokenError::Grant => SignInError::Code,
            TokenError::Application => SignInError::Application,
            TokenError::Throttled | TokenError::Status(_) | TokenError::Malformed | TokenError::Net(_) => {
                SignInError::Provider
            }
        }
    })?;
    let tokens = OauthTokens::from_response(&answer, app.clock.now(), None).ok_or(SignInError::Provider)?;
    // Of two sign-ins the later one counts, so the tokens of the other are no reason to leave these.
    let kept = signed.save_tokens(app, &workspace, &tokens, None, |tx, stored| {
        stored.updated = app.clock.monotonic_now();
        let entry = AuditEntry::by_caller(&begun.caller, AuditAction::CredentialChanged, stored.updated);
        audit::record(tx, &entry.with_target(AuditTargetKind::Credential, stored.id, &stored.name))
    });
    if !kept.map_err(|error| sign_in_error(&error))? {
        return Err(SignInError::Changed);
    }
    tracing::info!(credential = %begun.credential, by = %begun.caller.principal, "somebody signed in to a credential");
    Ok(())
}

fn sign_in_error(error: &Error) -> SignInError {
    tracing::error!(?error, "a sign-in at a provider could not be stored");
    SignInError::Here
}

/// A credential that can be signed in, as it is stored.
struct OAuthCredential {
    id: CredentialId,
    name: String,
    application: Application,
    tokens: Option<OauthTokens>,
}

impl OAuthCredential {
    /// The one of this id; `None` when there is none.
    ///
    /// # Errors
    /// When it cannot be opened, or lacks what a sign-in needs.
    fn find(app: &App, workspace: &WorkspaceId, id: &CredentialId) -> Result<Option<Self>> {
        let stored = app.store.read(|tx| CREDENTIALS.get(tx, workspace, id))?;
        stored.map(|stored| Self::from_stored(app, &stored).map(|(found, _)| found)).transpose()
    }

    fn from_stored(app: &App, stored: &Credential) -> Result<(Self, Map<String, Value>)> {
        let fields = credentials::decrypt(&app.secrets.vault, stored)?;
        let application =
            Application::from_fields(&stored.credential_name, &fields).map_err(|error| match error {
                Error::Invalid(why) => Error::Invalid(format!("The credential '{}': {why}", stored.name)),
                other => other,
            })?;
        let (id, name) = (stored.id, stored.name.clone());
        Ok((Self { id, name, application, tokens: OauthTokens::from_fields(&fields) }, fields))
    }

    /// Seals tokens with the credential, and lets `with` do more in the same write. False when the credential is not what it
    /// was when it was found, or no longer has the tokens `before`: these would be another's.
    fn save_tokens(
        &self,
        app: &App,
        workspace: &WorkspaceId,
        tokens: &OauthTokens,
        before: Option<&OauthTokens>,
        with: impl Fn(&WriteTx, &mut Credential) -> Result<()>,
    ) -> Result<bool> {
        app.store.write(|tx| {
            let Some(mut stored) = CREDENTIALS.get(tx, workspace, &self.id)? else { return Ok(false) };
            let Ok((now, mut fields)) = Self::from_stored(app, &stored) else { return Ok(false) };
            if !now.application.is_same_as(&self.application)
                || before.is_some_and(|before| now.tokens.as_ref() != Some(before))
            {
                return Ok(false);
            }
            tokens.write_to(&mut fields);
            stored.sealed = app.secrets.vault.seal(workspace, &self.id, &fields);
            with(tx, &mut stored)?;
            CREDENTIALS.put(tx, workspace, &self.id, &stored)?;
            Ok(true)
        })
    }
}
