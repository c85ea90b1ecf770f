//! Signatures that AWS published for clients to compare with, and some that its own Python client makes.

use super::*;

const SESSION: &str = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

fn keys(session: Option<&str>) -> AccessKey {
    AccessKey {
        id: "AKIDEXAMPLE".to_owned(),
        secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".to_owned(),
        session: session.map(str::to_owned),
    }
}

fn scope(service: &str) -> SigningScope {
    SigningScope { region: "us-east-1".to_owned(), service: service.to_owned() }
}

/// The signed headers and the signature of a request at the hour of the published examples.
fn proof(keys: &AccessKey, service: &str, request: &SigningRequest<'_>) -> (String, String) {
    let now = "2015-08-30T12:36:00Z".parse().unwrap();
    let added = keys.sign(&scope(service), request, now);
    assert_eq!(added[0], ("x-amz-date".to_owned(), "20150830T123600Z".to_owned()));
    let (name, proof) = added.last().unwrap();
    assert_eq!(name, "authorization");
    let rest = proof
        .strip_prefix(&format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/{service}/aws4_request, SignedHeaders="
        ))
        .unwrap_or_else(|| panic!("{proof}"));
    let (names, signature) = rest.split_once(", Signature=").unwrap();
    (names.to_owned(), signature.to_owned())
}

const fn get(url: &str) -> SigningRequest<'_> {
    SigningRequest { method: "GET", url, headers: &[], body: b"" }
}

#[test]
fn published_requests_have_their_published_signatures() {
    let every = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
    for (what, place, signature) in [
        ("vanilla", "/".to_owned(), vanilla),
        ("no path", String::new(), vanilla),
        ("relative path", "/example1/example2/../..".to_owned(), vanilla),
        ("dots", "/./".to_owned(), vanilla),
        (
            "slashes",
            "//example//".to_owned(),
            "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84",
        ),
        (
            "order of names in the query",
            "/?Param2=value2&Param1=value1".to_owned(),
            "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        ),
        (
            "order of values in the query",
            "/?Param1=value2&Param1=value1".to_owned(),
            "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694",
        ),
        (
            "unreserved in the query",
            format!("/?{every}={every}"),
            "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
        ),
        (
            "unreserved in the path",
            format!("/{every}"),
            "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
        ),
        (
            "letters of other scripts",
            "/\u{1234}".to_owned(),
            "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
        ),
        (
            "a space",
            "/example space/".to_owned(),
            "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
        ),
    ] {
        let url = format!("https://example.amazonaws.com{place}");
        let found = proof(&keys(None), "service", &get(&url));
        assert_eq!(found, ("host;x-amz-date".to_owned(), signature.to_owned()), "{what}");
    }
}

#[test]
fn headers_are_trimmed_and_in_order() {
    let url = "https://example.amazonaws.com/";
    let headers = [("My-Header2", " \"a   b   c\"  "), ("My-Header1", " value1")];
    let found = proof(&keys(None), "service", &SigningRequest { headers: &headers, ..get(url) });
    let expected = "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736";
    assert_eq!(found, ("host;my-header1;my-header2;x-amz-date".to_owned(), expected.to_owned()));
    let headers = [("My-Header1", "value2"), ("my-header1", "value2"), ("MY-HEADER1", "value1")];
    let found = proof(&keys(None), "service", &SigningRequest { headers: &headers, ..get(url) });
    assert_eq!(found.1, "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea");
}

#[test]
fn bodies_are_signed() {
    let plain = SigningRequest { method: "POST", ..get("https://example.amazonaws.com/") };
    let found = proof(&keys(None), "service", &plain);
    assert_eq!(found.1, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let form = SigningRequest { headers: &headers, body: b"Param1=value1", ..plain };
    let found = proof(&keys(None), "service", &form);
    assert_eq!(found.1, "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a");
}

#[test]
fn a_session_token_is_sent_and_signed() {
    let plain = SigningRequest { method: "POST", ..get("https://example.amazonaws.com/") };
    let found = proof(&keys(Some(SESSION)), "service", &plain);
    let expected = "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead";
    assert_eq!(found, ("host;x-amz-date;x-amz-security-token".to_owned(), expected.to_owned()));
    let now = "2015-08-30T12:36:00Z".parse().unwrap();
    let added = keys(Some(SESSION)).sign(&scope("service"), &plain, now);
    assert_eq!(added[1], ("x-amz-security-token".to_owned(), SESSION.to_owned()));
}

#[test]
fn what_is_escaped_in_an_address_is_escaped_again() {
    let url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream";
    let headers = [("content-type", "application/json")];
    let request =
        SigningRequest { method: "POST", headers: &headers, body: b"{\"messages\":[]}", ..get(url) };
    let found = proof(&keys(None), "bedrock", &request);
    assert_eq!(found.1, "a2e01c4c9108297fb6762f4f10c329c16459333689acf553f1ac98ce9caf5757");
    let model = "arn:aws:bedrock:eu-west-1:1:inference-profile/x";
    let url = format!("http://127.0.0.1:8080/model/{}/invoke", encode_component(model));
    let headers = [("content-type", "application/json"), ("accept", "application/json")];
    let body = "{\"inputText\":\"grüße\"}".as_bytes();
    let request = SigningRequest { method: "POST", url: &url, headers: &headers, body };
    let found = proof(&keys(Some(SESSION)), "bedrock", &request);
    assert_eq!(found.1, "6d473260e8ebb92210923d218ab70dad286e1f0393c0c73ad65258f3ec58c1b5");
}

#[test]
fn the_object_store_takes_paths_as_they_are() {
    let url = format!("https://bucket.s3.us-east-1.amazonaws.com/{}", encode_path("a folder/grüße+1.txt"));
    let names = "host;x-amz-content-sha256;x-amz-date";
    let found = proof(&keys(None), "s3", &get(&url));
    let expected = "46691c4b94225e4c2da456c00d09c2376e945bb5de9e34e5452d9f40f8685a6e";
    assert_eq!(found, (names.to_owned(), expected.to_owned()));
    let url = "https://s3.us-east-1.amazonaws.com/bucket?list-type=2&prefix=a%2Fb%20c&continuation-token=1%2B%2F%3D&max-keys=1000";
    let found = proof(&keys(None), "s3", &get(url));
    assert_eq!(found.1, "7a3c016d845b19b7260a487978984e4492af56986b7eb1a9bc81b5eefc0c79b5");
}

#[test]
fn a_port_that_everybody_knows_is_not_signed() {
    for (url, host) in [
        ("https://Example.com:443/x", "example.com"),
        ("http://example.com:80", "example.com"),
        ("http://example.com:443?a", "example.com:443"),
        ("https://user@example.com:8443/", "example.com:8443"),
    ] {
        assert_eq!(UrlParts::parse(url).host, host, "{url}");
    }
}

#[test]
fn keys_are_not_printed() {
    assert_eq!(format!("{:?}", keys(Some(SESSION))), "Keys(hidden)");
}
