//! Names, tokens and labels in every wrong form: refused with what to fix, and nothing is saved.

use super::*;

#[test]
fn a_repository_in_a_wrong_form_is_refused() {
    let stage = Stage::new();
    let long = format!("acme/{}", "x".repeat(101));
    let forms = [
        "",
        " ",
        "flows",
        "acme/",
        "/flows",
        "acme/flows/x",
        "acme//flows",
        "-acme/flows",
        ".acme/flows",
        "acme/..",
        "../flows",
        "acme/flows.git",
        "acme/fl ows",
        "acme/fl\u{e4}ws",
        "http://github.com/acme/flows",
        "https://gitlab.com/acme/flows",
        "https://github.com.evil.example/acme/flows",
        "https://me@github.com/acme/flows",
        "https://github.com/acme/flows/tree/x",
        "git@github.com:acme/flows.git",
        "ssh://git@github.com/acme/flows",
        "file://acme/flows",
        "file:///",
        "file:///srv/../x",
        "--upload-pack=x/y",
        &long,
    ];
    for form in forms {
        let said = refused(&stage.server, &json!({"repo": form, "token": TOKEN}), 400);
        assert!(said.starts_with("Invalid repository"), "{form:?}: {said}");
    }
    for body in
        [json!({"token": TOKEN}), json!({"repo": 7, "token": TOKEN}), json!({"repo": null, "token": TOKEN})]
    {
        assert!(refused(&stage.server, &body, 400).contains("repo"), "{body}");
    }
    assert_eq!(status(&stage.server)["connected"], false);
    assert!(credentials(&stage.server).is_empty());
}

#[test]
fn a_local_repository_is_refused_without_the_test_setting() {
    let root = tempfile::tempdir().unwrap();
    make_repository(root.path());
    let server = Server::start();
    let address = format!("file://{}", root.path().display());
    let said = refused(&server, &json!({"repo": address, "token": TOKEN}), 400);
    assert!(said.starts_with("Invalid repository"), "{said}");
}

#[test]
fn a_wrong_or_missing_token_is_refused() {
    let stage = Stage::new();
    let other =
        json!({"name": "Other", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": "k"}});
    let other = crate::support::id(&stage.server.post("/credentials", &other));
    let unknown = "7bd3a5ac-4f3f-4bb5-8a42-53cf41fbb4f1";
    let bodies = [
        (json!({}), "token"),
        (json!({"token": ""}), "The token is empty"),
        (json!({"token": " \n"}), "The token is empty"),
        (json!({"token": "a b"}), "no token"),
        (json!({"token": "t\u{f6}ken"}), "no token"),
        (json!({"token": 7}), "token"),
        (json!({"token": "x".repeat(5_000)}), "no token"),
        (json!({"token": TOKEN, "credentialId": other}), "not both"),
        (json!({"credentialId": other}), "holds no token"),
        (json!({"credentialId": unknown}), "no credential"),
        (json!({"credentialId": "x"}), "credentialId"),
    ];
    for (body, words) in &bodies {
        let mut whole = body.clone();
        whole["repo"] = NAME.into();
        let said = refused(&stage.server, &whole, 400);
        assert!(said.contains(words), "{body}: {said}");
        for (path, named) in [("repos", Value::Null), ("repos/new", json!("flows"))] {
            let mut whole = body.clone();
            whole["name"] = named;
            let call = stage.server.owner("POST", &format!("/flow-versions/github/{path}"));
            let said = call.json(&whole).send().is_error(400);
            assert!(said.contains(words), "{path} {body}: {said}");
        }
    }
    assert_eq!(credentials(&stage.server).len(), 1, "only the one that was there");
}

#[test]
fn a_new_repository_needs_a_good_name() {
    let server = Server::start();
    for name in [json!(""), json!("a/b"), json!(".x"), json!("x.git"), json!("a b"), json!(7), Value::Null] {
        let body = json!({"name": name, "token": TOKEN});
        server.owner("POST", "/flow-versions/github/repos/new").json(&body).send().is_error(400);
    }
}

#[test]
fn a_label_that_is_neither_is_refused() {
    let server = Server::start();
    for body in [
        json!({}),
        json!({"environment": "test"}),
        json!({"environment": "DEV"}),
        json!({"environment": ""}),
        json!({"environment": 1}),
        json!({"environment": ["dev"]}),
        json!({"environment": true}),
        Value::Null,
        json!([]),
    ] {
        let said = server.owner("PUT", "/flow-versions/environment").json(&body).send().is_error(400);
        assert!(said.contains("environment") || said.contains("object"), "{body}: {said}");
    }
    assert_eq!(status(&server)["environment"], Value::Null);
}

#[test]
fn a_credential_of_another_workspace_is_like_none() {
    let stage = Stage::new();
    let made = json!({"name": "Mine", "credentialName": "githubApi", "plainDataObj": {"accessToken": TOKEN}});
    let credential = crate::support::id(&stage.server.post("/credentials", &made));
    let there = stage.server.new_workspace("There");
    stage.server.enter(&there);
    let said = refused(&stage.server, &json!({"repo": NAME, "credentialId": credential}), 400);
    assert!(said.contains("no credential"), "{said}");
}
