//! Descriptions of APIs, and the calls that arguments stand for.

use super::*;

const PETS: &str = r##"
openapi: 3.0.1
servers:
  - url: "https://{region}.pets.test/v1/"
    variables: { region: { default: eu } }
  - url: ftp://pets.test
paths:
  /pets/{id}/photos.{kind}:
    parameters:
      - { name: id, in: path, required: true, schema: { type: integer } }
      - { name: kind, in: path, schema: { type: string } }
    get:
      operationId: get photo
      summary: Reads a photo.
      parameters:
        - $ref: "#/components/parameters/Size"
        - { name: X-Trace, in: header, schema: { type: string } }
  /pets:
    post:
      operationId: addPet
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: "#/components/schemas/Pet" }
    get:
      summary: Has no id.
components:
  parameters:
    Size: { name: size, in: query, description: How large, schema: { type: array, items: { type: string } } }
  schemas:
    Pet:
      type: object
      required: [name]
      example: { name: Tom }
      properties:
        name: { type: string }
        friend: { $ref: "#/components/schemas/Pet" }
"##;

#[test]
fn operations_become_tools() {
    let api = ApiDescription::parse(PETS, None).unwrap();
    assert_eq!(api.servers, [Url::parse("https://eu.pets.test/v1/").unwrap()]);
    let [photo, add] = &api.operations[..] else { panic!("{:?}", api.operations) };
    assert_eq!((photo.id.as_str(), photo.spec.name.as_str()), ("get photo", "get_photo"));
    assert_eq!(photo.spec.description, "Reads a photo.");
    let schema = &photo.spec.schema;
    assert_eq!(schema["required"], json!(["PathParameters"]));
    assert_eq!(schema["properties"]["PathParameters"]["required"], json!(["id", "kind"]));
    assert_eq!(schema["properties"]["QueryParameters"]["properties"]["size"]["description"], "How large");
    let body = &add.spec.schema["properties"]["RequestBody"];
    assert_eq!(
        body["properties"]["friend"]["properties"]["name"]["type"], "string",
        "a circle ends somewhere"
    );
    assert!(body.get("example").is_none() && body.to_string().len() < 4_000, "{body}");
    assert_eq!(add.spec.schema["required"], json!(["RequestBody"]));
}

#[test]
fn arguments_become_a_call_below_the_server_and_nowhere_else() {
    let api = ApiDescription::parse(PETS, None).unwrap();
    let call = |at: usize, arguments: Value| api.operations[at].call(&api.servers[0], &arguments, true);
    let found = call(
        0,
        json!({"PathParameters": {"id": "../7?x", "kind": "jpg"}, "QueryParameters": {"size": ["s", "l"], "none": null}}),
    );
    let found = found.unwrap();
    assert_eq!(found.url.as_str(), "https://eu.pets.test/v1/pets/..%2F7%3Fx/photos.jpg?size=s&size=l");
    assert_eq!((found.method.as_str(), found.body), ("GET", None));
    for bad in [
        json!({}),
        json!({"PathParameters": {"id": "..", "kind": "x"}}),
        json!({"PathParameters": {"id": "", "kind": "x"}}),
    ] {
        assert!(call(0, bad.clone()).is_err(), "{bad}");
    }
    let body = json!({"RequestBody": {"name": "Tom", "friend": null, "tags": [{"a": null}]}});
    let found = call(1, body).unwrap();
    assert_eq!((found.method.as_str(), found.url.path()), ("POST", "/v1/pets"));
    assert_eq!(found.body, Some(json!({"name": "Tom", "tags": [{}]})));
}

#[test]
fn a_description_says_where_it_is_when_it_names_no_server() {
    let base = Url::parse("https://a.test/docs/api.json").unwrap();
    let read = |servers: &str| {
        ApiDescription::parse(&format!("{{\"openapi\": \"3.1.0\", {servers} \"paths\": {{}}}}"), Some(&base))
            .unwrap()
    };
    assert_eq!(read("").servers[0].as_str(), "https://a.test/");
    assert_eq!(read("\"servers\": [{\"url\": \"/v2\"}],").servers[0].as_str(), "https://a.test/v2");
    assert_eq!(read("\"servers\": [{\"url\": \"../v3\"}],").servers[0].as_str(), "https://a.test/v3");
}

#[test]
fn what_cannot_be_read_is_told_and_does_no_harm() {
    let bomb: String = std::iter::once("a0: &a0 [x]\n".to_owned())
        .chain(
            (1..60).map(|at| format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 10].join(", "))),
        )
        .collect();
    for (text, why) in [
        ("", "OpenAPI 3"),
        ("{", "not JSON"),
        ("a: [", "not YAML"),
        ("swagger: '2.0'", "OpenAPI 3"),
        ("openapi: 3.0.0", "no paths"),
        (&bomb, "not YAML"),
        (&"[".repeat(100_000), "not YAML"),
        (&"x".repeat(OPENAPI_BYTES_MAX + 1), "larger than"),
    ] {
        let found = ApiDescription::parse(text, None).unwrap_err();
        assert!(found.contains(why), "{found}");
    }
}

#[test]
fn variables_of_an_address_are_put_in_once() {
    let grows = |letter: char, next: char| json!({"default": format!("{{{next}}}").repeat(10), "of": letter.to_string()});
    let variables: Map<String, Value> =
        ('a'..='z').zip('b'..='z').map(|(letter, next)| (letter.to_string(), grows(letter, next))).collect();
    let root = json!({"servers": [{"url": "https://{a}.test", "variables": variables}, {"url": "https://{x".repeat(900)}]});
    assert!(servers(&root, None).iter().all(|server| server.as_str().len() < 200));
    let root = json!({"servers": [{"url": "https://{a}.test/{b}", "variables": {"a": {"default": "eu"}}}]});
    assert_eq!(servers(&root, None)[0].as_str(), "https://eu.test/");
}

#[test]
fn a_long_schema_that_is_named_often_is_copied_within_bounds() {
    let long: Vec<String> = (0..2_000).map(|number| format!("{number}{}", "x".repeat(500))).collect();
    let parameter = |number: usize| json!({"in": "query", "name": format!("p{number}"), "schema": {"$ref": "#/components/schemas/Long"}});
    let parameters: Vec<Value> = (0..90).map(parameter).collect();
    let path = |number: usize| {
        (
            format!("/{number}"),
            json!({"get": {"operationId": format!("o{number}"), "parameters": parameters}}),
        )
    };
    let paths: Map<String, Value> = (0..50).map(path).collect();
    let root = json!({
        "openapi": "3.0.0", "paths": paths, "components": {"schemas": {"Long": {"type": "string", "enum": long}}},
    });
    let api = ApiDescription::parse(&root.to_string(), None).unwrap();
    let shown: usize = api.operations.iter().map(|operation| operation.spec.schema.to_string().len()).sum();
    assert!(shown < 3 * SCHEMAS_BYTES_MAX, "{shown}");
    assert_eq!(api.operations.len(), 50);
}
