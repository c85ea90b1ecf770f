//! A service whose owner connects a mailbox at a stand-in of Google.

use crate::support::client;
use crate::support::internet::{InternetStandIn, SeenRequest, StandInAnswer};
use crate::support::{Server, id, log};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub const HOSTS: &[&str] = &[
    "oauth2.googleapis.com",
    "gmail.googleapis.com",
    "www.googleapis.com",
    "docs.googleapis.com",
    "sheets.googleapis.com",
    "acme.atlassian.net",
];
pub const CLIENT: &str = "client-1";
/// All secrets here begin with this word, so that one look finds each of them.
pub const HUSH: &str = "hush";
pub const SECRET: &str = "hush-secret";

/// What answers requests of actions.
pub type ActionAnswers = Box<dyn Fn(&SeenRequest) -> StandInAnswer + Send + Sync>;

/// Google's side of the sign-in: it knows which codes it gave for which challenge, and each refresh token counts once.
#[derive(Default)]
pub struct GoogleStandIn {
    /// Codes with the challenges and redirect addresses they were given for.
    codes: Mutex<HashMap<String, (String, String)>>,
    /// The refresh token that counts now.
    pub refresh: Mutex<String>,
    /// The access token that counts now.
    pub access: Mutex<String>,
    pub issued: AtomicUsize,
    /// Seconds for which an access token is said to last.
    pub lasts: Mutex<i64>,
    /// What is answered to the next request for tokens instead.
    pub instead: Mutex<Option<StandInAnswer>>,
    /// What is answered to every request that is no request for tokens and is signed well.
    pub gives: Mutex<Option<ActionAnswers>>,
}

impl GoogleStandIn {
    pub fn answer(&self, seen: &SeenRequest) -> StandInAnswer {
        if seen.address != "oauth2.googleapis.com/token" {
            let access = self.access.lock().unwrap().clone();
            let wanted = if access.contains(" ") { access } else { format!("Bearer {access}") };
            if seen.header("authorization") != Some(wanted.as_str()) {
                return StandInAnswer::Json(
                    401,
                    json!({"error": {"code": 401, "status": "UNAUTHENTICATED"}}),
                );
            }
            return self
                .gives
                .lock()
                .unwrap()
                .as_ref()
                .map_or(StandInAnswer::Json(200, json!({})), |gives| gives(seen));
        }
        if let Some(instead) = self.instead.lock().unwrap().take() {
            return instead;
        }
        let field = |name: &str| seen.field(name).unwrap_or_default();
        assert_eq!(seen.method, "POST");
        assert_eq!(seen.header("content-type"), Some("application/x-www-form-urlencoded"));
        if (field("client_id").as_str(), field("client_secret").as_str()) != (CLIENT, SECRET) {
            return StandInAnswer::Json(401, json!({"error": "invalid_client"}));
        }
        let known = match field("grant_type").as_str() {
            "authorization_code" => {
                let given = self.codes.lock().unwrap().remove(&field("code"));
                given.is_some_and(|(challenge, redirect)| {
                    let told = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
                    told == challenge && redirect == field("redirect_uri")
                })
            }
            "refresh_token" => {
                let counts = field("refresh_token") == *self.refresh.lock().unwrap();
                // Long enough for others to want one too.
                std::thread::sleep(Duration::from_millis(30));
                counts
            }
            other => panic!("{other}"),
        };
        if !known {
            return StandInAnswer::Json(
                400,
                json!({"error": "invalid_grant", "error_description": "words of the provider"}),
            );
        }
        let number = self.issued.fetch_add(1, Ordering::SeqCst) + 1;
        *self.access.lock().unwrap() = format!("hush-access-{number}");
        *self.refresh.lock().unwrap() = format!("hush-refresh-{number}");
        StandInAnswer::Json(
            200,
            json!({
                "access_token": format!("hush-access-{number}"), "refresh_token": format!("hush-refresh-{number}"),
                "expires_in": *self.lasts.lock().unwrap(), "token_type": "Bearer", "scope": "x",
            }),
        )
    }

    /// Signs a person in at this address, as its page would; the code and the state they come back with.
    pub fn complete_sign_in(&self, url: &str) -> (String, String) {
        let url = url::Url::parse(url).unwrap();
        assert_eq!((url.host_str(), url.path()), (Some("accounts.google.com"), "/o/oauth2/v2/auth"));
        let query: HashMap<String, String> = url.query_pairs().into_owned().collect();
        let of = |name: &str| query[name].clone();
        assert_eq!((of("response_type").as_str(), of("code_challenge_method").as_str()), ("code", "S256"));
        assert_eq!((of("client_id").as_str(), of("access_type").as_str()), (CLIENT, "offline"));
        let code = format!("hush-code-{}", self.codes.lock().unwrap().len());
        self.codes.lock().unwrap().insert(code.clone(), (of("code_challenge"), of("redirect_uri")));
        (code, of("state"))
    }
}

pub struct OAuthFixture {
    pub server: Server,
    pub internet: InternetStandIn,
    pub google: Arc<GoogleStandIn>,
    pub credential: String,
}

impl OAuthFixture {
    pub fn open() -> Self {
        Self::of("gmailOAuth2")
    }

    pub fn of(credential_type: &str) -> Self {
        Self::with(credential_type, &[])
    }

    pub fn with(credential_type: &str, settings: &[(&'static str, &str)]) -> Self {
        log::listen(HUSH);
        let google = Arc::new(GoogleStandIn::default());
        *google.lasts.lock().unwrap() = 3600;
        let asked = google.clone();
        let internet = InternetStandIn::of(HOSTS, move |seen| asked.answer(seen));
        let mut all =
            vec![("HTTPS_PROXY", internet.proxy.as_str()), ("SERVICE_CA_FILE", &internet.authority)];
        all.extend_from_slice(settings);
        let server = Server::with(&all);
        let fields = json!({"clientId": CLIENT, "clientSecret": SECRET});
        let body = json!({"name": "Work mail", "credentialName": credential_type, "plainDataObj": fields});
        let credential = id(&server.post("/credentials", &body));
        Self { server, internet, google, credential }
    }

    /// A service whose owner has signed in.
    pub fn open_signed_in(credential_type: &str) -> Self {
        let house = Self::of(credential_type);
        house.sign_in().is(200);
        house.internet.forget();
        house
    }

    /// Begins a sign-in: what the service says.
    pub fn begin_sign_in(&self) -> Value {
        let path = format!("/oauth2-credential/authorize/{}", self.credential);
        self.server.owner("POST", &path).send().is(200).json()
    }

    /// A person comes back with this.
    pub fn return_from_google(&self, query: &[(&str, &str)]) -> client::Answer {
        self.server.owner("GET", &callback(query)).send()
    }

    /// A whole sign-in.
    pub fn sign_in(&self) -> client::Answer {
        let (code, state) =
            self.google.complete_sign_in(self.begin_sign_in()["authorizationUrl"].as_str().unwrap());
        self.return_from_google(&[("code", &code), ("state", &state)])
    }

    /// Lets every access token that counts now be over for Google, though the service does not know it.
    pub fn expire_access_tokens(&self) {
        *self.google.access.lock().unwrap() = "hush-other".to_owned();
    }
}

pub fn callback(query: &[(&str, &str)]) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
    format!("/oauth2-credential/callback?{query}")
}
