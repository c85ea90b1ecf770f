//! Signing in with OAuth 2: whose credentials can be signed in, where that is done, and the tokens that come of it
//! (RFC 6749, RFC 7636). Tokens are sealed with the credential and never shown.

use crate::domain::error::{Error, Result};
use crate::domain::ids::CredentialId;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use url::Url;

/// Longest token that is kept, in bytes.
const TOKEN_BYTES_MAX: usize = 16 * 1024;
/// Longest time a token is taken to be valid, whatever its provider says: a year.
const VALID_SECONDS_MAX: i64 = 366 * 24 * 3600;
/// A token that ends this soon is renewed before it is used.
const RENEWED_AHEAD: SignedDuration = SignedDuration::from_secs(60);

const ACCESS: &str = "access_token";
const REFRESH: &str = "refresh_token";
const EXPIRES: &str = "expires_at";

/// Parameters of the sign-in's address that are the service's own, whatever a credential adds.
const OWN_PARAMETERS: &[&str] = &[
    "response_type",
    "response_mode",
    "client_id",
    "client_secret",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
];

/// Who signs people in.
#[derive(Debug, PartialEq, Eq)]
pub struct OauthProvider {
    pub label: &'static str,
    /// Where people sign in.
    authorize: &'static str,
    token: &'static str,
    /// The only places its addresses may lie at: a secret of an application goes nowhere else.
    hosts: &'static [&'static str],
    /// What the sign-in's address holds where a credential says nothing.
    parameters: &'static str,
}

const GOOGLE: OauthProvider = OauthProvider {
    label: "Google",
    authorize: GOOGLE_AUTHORIZE,
    token: GOOGLE_TOKEN,
    hosts: &["accounts.google.com", "oauth2.googleapis.com", "www.googleapis.com"],
    parameters: GOOGLE_PARAMETERS,
};
/// Where people sign in at Google.
pub(crate) const GOOGLE_AUTHORIZE: &str = "https://accounts.google.com/o/oauth2/v2/auth";
/// Where codes become tokens at Google.
pub(crate) const GOOGLE_TOKEN: &str = "https://oauth2.googleapis.com/token";
/// Without these Google gives no refresh token, or only the first time.
pub(crate) const GOOGLE_PARAMETERS: &str = "access_type=offline&prompt=consent";

const MICROSOFT: OauthProvider = OauthProvider {
    label: "Microsoft",
    authorize: MICROSOFT_AUTHORIZE,
    token: MICROSOFT_TOKEN,
    hosts: &["login.microsoftonline.com"],
    parameters: "",
};
/// Where people sign in at Microsoft; a credential may name a tenant in place of `common`.
pub(crate) const MICROSOFT_AUTHORIZE: &str = "https://login.microsoftonline.com/common/oauth2/v2.0/authorize";
/// Where codes become tokens at Microsoft.
pub(crate) const MICROSOFT_TOKEN: &str = "https://login.microsoftonline.com/common/oauth2/v2.0/token";

/// Whose credentials are signed in, at whom, and with what rights where the credential names none.
const SIGN_INS: &[(&str, &OauthProvider, &str)] = &[
    ("gmailOAuth2", &GOOGLE, "https://www.googleapis.com/auth/gmail.modify"),
    ("googleCalendarOAuth2", &GOOGLE, "https://www.googleapis.com/auth/calendar"),
    ("googleDocsOAuth2", &GOOGLE, "https://www.googleapis.com/auth/documents"),
    ("googleDriveOAuth2", &GOOGLE, "https://www.googleapis.com/auth/drive"),
    ("googleSheetsOAuth2", &GOOGLE, "https://www.googleapis.com/auth/spreadsheets"),
    ("microsoftOutlookOAuth2", &MICROSOFT, "offline_access Mail.ReadWrite Mail.Send Calendars.ReadWrite"),
    (
        "microsoftTeamsOAuth2",
        &MICROSOFT,
        "offline_access Team.ReadBasic.All Channel.ReadBasic.All Chat.ReadWrite",
    ),
];

/// True for a type of credential that somebody signs in.
#[must_use]
pub(crate) fn has_sign_in(credential_type: &str) -> bool {
    SIGN_INS.iter().any(|(known, ..)| *known == credential_type)
}

/// An application, as a credential describes it to its provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Application {
    provider: &'static OauthProvider,
    authorize: Url,
    token: Url,
    client: String,
    secret: String,
    scope: String,
    parameters: String,
}

impl Application {
    /// Reads the fields of a credential.
    ///
    /// # Errors
    /// 400 naming the field that is empty, or leads elsewhere than to the provider.
    pub fn from_fields(credential_type: &str, fields: &Map<String, Value>) -> Result<Self> {
        let known = SIGN_INS.iter().find(|(known, ..)| *known == credential_type);
        let (_, provider, scope) = known.ok_or_else(|| {
            Error::invalid("Nobody signs in to a credential of this type: its fields are all it needs.")
        })?;
        let field = |name: &str| {
            let text = fields.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let needed = |name: &str, label: &str| {
            field(name).ok_or_else(|| {
                Error::invalid(format!(
                    "{label} is empty: fill it in, save the credential, and sign in then."
                ))
            })
        };
        let address = |name: &str, label: &str, usual: &str| {
            let text = field(name).unwrap_or_else(|| usual.to_owned());
            provider.parse_own_url(&text).ok_or_else(|| {
                Error::invalid(format!("{label} is no address of {}: it usually is {usual}", provider.label))
            })
        };
        Ok(Self {
            provider,
            authorize: address("authorizationUrl", "Authorization URL", provider.authorize)?,
            token: address("accessTokenUrl", "Access Token URL", provider.token)?,
            client: needed("clientId", "Client ID")?,
            secret: needed("clientSecret", "Client Secret")?,
            scope: field("scope").unwrap_or_else(|| (*scope).to_owned()),
            parameters: field("additionalParameters").unwrap_or_else(|| provider.parameters.to_owned()),
        })
    }

    /// Who signs people in.
    #[must_use]
    pub const fn provider(&self) -> &'static OauthProvider {
        self.provider
    }

    #[must_use]
    pub fn token_address(&self) -> &str {
        self.token.as_str()
    }

    /// What no log may hold.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.secret
    }

    /// True when tokens of the one are tokens of the other.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        (&self.client, &self.token, &self.scope) == (&other.client, &other.token, &other.scope)
    }

    /// The address at which a person signs in. `state` comes back with them, and only who knows `verifier` can turn what
    /// they bring into tokens.
    #[must_use]
    pub fn authorization_url(&self, redirect: &str, state: &str, verifier: &str) -> String {
        let mut url = self.authorize.clone();
        url.set_query(None);
        let added = form_urlencoded::parse(self.parameters.trim_start_matches(['?', '&']).as_bytes());
        let added = added.filter(|(name, _)| !OWN_PARAMETERS.contains(&name.as_ref()) && !name.is_empty());
        url.query_pairs_mut()
            .extend_pairs([
                ("response_type", "code"),
                ("client_id", &self.client),
                ("redirect_uri", redirect),
                (
                    "scope",
                    &self.scope.split([' ', ',']).filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" "),
                ),
                ("state", state),
                ("code_challenge", &challenge(verifier)),
                ("code_challenge_method", "S256"),
            ])
            .extend_pairs(added);
        url.into()
    }

    /// What turns a code into tokens, as the fields of a form.
    #[must_use]
    pub fn exchange_form(&self, code: &str, redirect: &str, verifier: &str) -> String {
        self.form(&[
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect),
            ("code_verifier", verifier),
        ])
    }

    /// What turns a refresh token into other tokens, as the fields of a form.
    #[must_use]
    pub fn renewal_form(&self, refresh: &str) -> String {
        self.form(&[("grant_type", "refresh_token"), ("refresh_token", refresh)])
    }

    fn form(&self, fields: &[(&str, &str)]) -> String {
        let who = [("client_id", self.client.as_str()), ("client_secret", &self.secret)];
        form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).extend_pairs(who).finish()
    }
}

impl OauthProvider {
    /// An address that is this provider's own.
    fn parse_own_url(&self, text: &str) -> Option<Url> {
        let url = Url::parse(text).ok()?;
        let bare = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        let here = url.host_str().is_some_and(|host| self.hosts.contains(&host));
        (bare && here && url.scheme() == "https").then_some(url)
    }
}

/// What the provider is told of the verifier ahead (RFC 7636, S256).
fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// Takes the tokens out of fields whose application has changed: they were another's.
pub fn drop_tokens_if_changed(
    credential_type: &str,
    before: &Map<String, Value>,
    fields: &mut Map<String, Value>,
) {
    if !has_sign_in(credential_type) {
        return;
    }
    let application = |fields: &Map<String, Value>| Application::from_fields(credential_type, fields).ok();
    let same = match (application(before), application(fields)) {
        (Some(before), Some(now)) => before.is_same_as(&now),
        _ => false,
    };
    if !same {
        [ACCESS, REFRESH, EXPIRES].iter().for_each(|name| drop(fields.remove(*name)));
    }
}

/// A sign-in that a person is to go on with at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInOffer {
    pub credential: CredentialId,
    /// What people call the provider.
    pub provider: &'static str,
    /// What the person opens.
    pub url: String,
    /// Where the provider sends them back to.
    pub redirect: String,
}

/// What is said of renewed tokens: nothing of the tokens themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRenewal {
    pub credential: CredentialId,
    pub has_new_refresh_token: bool,
    pub expires: Option<Timestamp>,
}

/// What a sign-in gives.
#[derive(Clone, PartialEq, Eq)]
pub struct OauthTokens {
    pub access: String,
    pub refresh: Option<String>,
    /// When the first is over, where the provider says so.
    pub expires: Option<Timestamp>,
}

impl OauthTokens {
    /// Reads what a provider answers. Where it gives no new refresh token, the one `before` goes on.
    #[must_use]
    pub fn from_response(answer: &Value, now: Timestamp, before: Option<&Self>) -> Option<Self> {
        let token = |name: &str| answer[name].as_str().filter(|text| is_token(text)).map(str::to_owned);
        if answer["token_type"].as_str().is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) {
            return None;
        }
        let seconds = match &answer["expires_in"] {
            Value::Number(seconds) => seconds.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let seconds = seconds.filter(|seconds: &f64| *seconds >= 1.0);
        let valid = seconds.map(|seconds| SignedDuration::from_secs((seconds as i64).min(VALID_SECONDS_MAX)));
        Some(Self {
            access: token(ACCESS)?,
            refresh: token(REFRESH).or_else(|| before?.refresh.clone()),
            expires: valid.and_then(|valid| now.checked_add(valid).ok()),
        })
    }

    /// Those that are kept among the fields of a credential.
    #[must_use]
    pub fn from_fields(fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let expires = text(EXPIRES).and_then(|text| text.parse().ok());
        Some(Self { access: text(ACCESS)?, refresh: text(REFRESH), expires })
    }

    /// Puts them among the fields of a credential, which declares none of them and so shows none.
    pub fn write_to(&self, fields: &mut Map<String, Value>) {
        let mut put = |name: &str, value: Option<String>| match value {
            Some(value) => drop(fields.insert(name.to_owned(), value.into())),
            None => drop(fields.remove(name)),
        };
        put(ACCESS, Some(self.access.clone()));
        put(REFRESH, self.refresh.clone());
        put(EXPIRES, self.expires.map(|expires| expires.to_string()));
    }

    /// True while requests may be signed with it and it need not be renewed ahead.
    #[must_use]
    pub fn is_fresh(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires.duration_since(now) > RENEWED_AHEAD)
    }

    /// True while it is not over yet.
    #[must_use]
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }
}

/// True for a text that a header can carry as a token.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= TOKEN_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn application(more: Value) -> Result<Application> {
        let mut all = fields(&json!({"clientId": "us", "clientSecret": "hush"}));
        all.extend(fields(&more));
        Application::from_fields("gmailOAuth2", &all)
    }

    #[test]
    fn the_sign_in_is_asked_for_by_the_book() {
        let url = application(
            json!({"scope": "a, b", "additionalParameters": "?prompt=none&state=mine&login_hint=x%20y"}),
        )
        .unwrap()
        .authorization_url(
            "https://here/back?x=1",
            "st",
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        );
        assert_eq!(
            url,
            "https://accounts.google.com/o/oauth2/v2/auth?response_type=code&client_id=us&redirect_uri=https%3A%2F%2Fhere%2Fback%3Fx%3D1\
             &scope=a+b&state=st&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256&prompt=none\
             &login_hint=x+y"
        );
        let usual = application(json!({})).unwrap().authorization_url("r", "s", "v");
        assert!(
            usual.ends_with("&access_type=offline&prompt=consent") && usual.contains("gmail.modify"),
            "{usual}"
        );
    }

    #[test]
    fn a_secret_goes_to_its_provider_alone() {
        for elsewhere in [
            "https://evil.example/token",
            "http://oauth2.googleapis.com/token",
            "https://oauth2.googleapis.com:8443/token",
            "https://x@oauth2.googleapis.com/token",
            "https://oauth2.googleapis.com.evil.example/token",
            "oauth2.googleapis.com/token",
        ] {
            let refused = application(json!({ "accessTokenUrl": elsewhere }));
            assert!(
                matches!(refused, Err(Error::Invalid(ref told)) if told.contains("Access Token URL")),
                "{elsewhere}"
            );
        }
        assert!(application(json!({"accessTokenUrl": "https://www.googleapis.com/oauth2/v4/token"})).is_ok());
        assert!(application(json!({"clientSecret": " "})).is_err());
        assert!(Application::from_fields("openAIApi", &Map::new()).is_err());
    }

    #[test]
    fn tokens_are_read_and_kept() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let read = |answer: Value| OauthTokens::from_response(&answer, now, None);
        let first = read(json!({"access_token": "a", "refresh_token": "r", "expires_in": "3600"})).unwrap();
        assert_eq!(first.expires, "2026-01-01T01:00:00Z".parse().ok());
        let next = OauthTokens::from_response(
            &json!({"access_token": "b", "token_type": "bearer"}),
            now,
            Some(&first),
        )
        .unwrap();
        assert_eq!((next.refresh.as_deref(), next.expires), (Some("r"), None));
        let mut kept = fields(&json!({"clientId": "us"}));
        first.write_to(&mut kept);
        assert!(OauthTokens::from_fields(&kept) == Some(first.clone()));
        assert!(first.is_fresh(now) && !first.is_fresh("2026-01-01T00:59:30Z".parse().unwrap()));
        assert!(first.is_valid("2026-01-01T00:59:30Z".parse().unwrap()));
        for garbage in [
            json!("x"),
            json!({"access_token": ""}),
            json!({"access_token": "a b"}),
            json!({"access_token": "a\r\nb"}),
            json!({"access_token": "a".repeat(20_000)}),
            json!({"access_token": 7}),
            json!({"access_token": "a", "token_type": "mac"}),
        ] {
            assert!(read(garbage.clone()).is_none(), "{garbage}");
        }
        let endless = read(json!({"access_token": "a", "expires_in": 1e300})).unwrap();
        assert!(endless.expires.is_some_and(|end| end < "2028-01-01T00:00:00Z".parse().unwrap()));
    }

    #[test]
    fn another_application_has_no_tokens() {
        let before = fields(
            &json!({"clientId": "us", "clientSecret": "hush", "access_token": "a", "refresh_token": "r"}),
        );
        for (name, value, stays) in
            [("clientSecret", "new", true), ("clientId", "them", false), ("scope", "more", false)]
        {
            let mut after = before.clone();
            after.insert(name.to_owned(), value.into());
            drop_tokens_if_changed("gmailOAuth2", &before, &mut after);
            assert_eq!(OauthTokens::from_fields(&after).is_some(), stays, "{name}");
        }
    }
}
