//! Google's sale of tokens to service accounts, and an API that answers to nobody without one.

use super::{Behaviour, RecordedRequest};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use serde_json::{Value, json};
use std::sync::Mutex;

/// A private key made for these tests, and its public half.
const KEY: &str = include_str!("account.key");
const PUBLIC: &str = include_str!("account.pub");
const EMAIL: &str = "flows@our-project.iam.gserviceaccount.com";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// How Google itself is called in wishes for tokens.
const GOOGLE: &str = "https://oauth2.googleapis.com/token";

/// Tokens that were sold, and those that are good.
pub struct Accounts {
    base: String,
    sold: Mutex<Vec<String>>,
    good: Mutex<Vec<String>>,
    /// How long a token is said to be good for.
    pub seconds: Mutex<Value>,
}

impl Accounts {
    /// A sale at this address.
    pub fn new(base: &str) -> Self {
        let base = base.to_owned();
        Self { base, sold: Mutex::default(), good: Mutex::default(), seconds: Mutex::new(json!(3_599)) }
    }

    /// The key of an account, as Google hands it out.
    pub fn key(&self) -> Value {
        let pem = |der: &str| {
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", fold_lines(der))
        };
        json!({"type": "service_account", "project_id": "our-project", "private_key_id": "k1",
            "private_key": pem(KEY.trim()), "client_email": EMAIL, "client_id": "1",
            "token_uri": format!("{}/token", self.base)})
    }

    /// Every token so far.
    pub fn tokens_sold(&self) -> Vec<String> {
        self.sold.lock().unwrap().clone()
    }

    /// No token that was sold is good any more.
    pub fn expire(&self) {
        self.good.lock().unwrap().clear();
    }

    /// The answer to a wish for a token, and to whoever has none; `None` for a request that may pass.
    pub fn answer(&self, request: &RecordedRequest) -> Option<Behaviour> {
        if request.path == "/token" {
            return Some(self.issue_token(request));
        }
        let token = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        if token.is_some_and(|token| self.good.lock().unwrap().iter().any(|good| good == token)) {
            return None;
        }
        let message = "Request had invalid authentication credentials. Expected OAuth 2 access token.";
        let error = json!({"error": {"code": 401, "message": message, "status": "UNAUTHENTICATED"}});
        Some(Behaviour::status(401, &error.to_string()))
    }

    fn issue_token(&self, request: &RecordedRequest) -> Behaviour {
        let refused = |about: &str| {
            let error = json!({"error": "invalid_grant", "error_description": about});
            Behaviour::status(400, &error.to_string())
        };
        assert_eq!(request.method, "POST");
        assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
        let form: Vec<(String, String)> = form_urlencoded::parse(&request.raw).into_owned().collect();
        let field =
            |name: &str| form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        if field("grant_type") != Some("urn:ietf:params:oauth:grant-type:jwt-bearer") {
            return refused("Bad grant");
        }
        let assertion = field("assertion").unwrap_or_default();
        let Some((signed, signature)) = assertion.rsplit_once('.') else { return refused("Invalid JWT") };
        let public = STANDARD.decode(PUBLIC.trim()).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, public);
        if public.verify(signed.as_bytes(), &signature).is_err() {
            return refused("Invalid JWT Signature.");
        }
        let part =
            |part: &str| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        let (head, claims) = signed.split_once('.').unwrap();
        let (head, claims) = (part(head), part(claims));
        assert_eq!(
            (&head["alg"], &head["typ"], &head["kid"]),
            (&json!("RS256"), &json!("JWT"), &json!("k1"))
        );
        if claims["iss"] != EMAIL {
            return refused("Invalid grant: account not found");
        }
        let own = format!("{}/token", self.base);
        assert!(claims["aud"] == own || claims["aud"] == GOOGLE, "{claims}");
        assert_eq!(claims["scope"], SCOPE);
        let (from, until) = (claims["iat"].as_i64().unwrap(), claims["exp"].as_i64().unwrap());
        let now = jiff::Timestamp::now().as_second();
        if (from - now).abs() > 300 || until < now || until - from > 3_600 {
            return refused(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
            );
        }
        let mut sold = self.sold.lock().unwrap();
        let token = format!("ya29.token-number-{}", sold.len());
        sold.push(token.clone());
        self.good.lock().unwrap().push(token.clone());
        let seconds = self.seconds.lock().unwrap().clone();
        let sale = json!({"access_token": token, "expires_in": seconds, "token_type": "Bearer"});
        Behaviour::status(200, &sale.to_string())
    }
}

/// Lines as they stand in files of keys.
fn fold_lines(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(64).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}
