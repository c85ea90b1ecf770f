//! What Jira can be asked to do: in the cloud, by version 3 of its interface, and on servers of one's own, by version 2.

use crate::kit::web::actions::{ActionArgument, CallArguments, ServiceAction};
use serde_json::{Map, Value, json};

const PROJECT: ActionArgument =
    ActionArgument::line("projectKey", "The key of the project, such as PROJ.").set_by("projectKey");
const ISSUE: ActionArgument =
    ActionArgument::line("issueKey", "The key of the issue, such as PROJ-123.").required().set_by("issueKey");
const SUMMARY: ActionArgument =
    ActionArgument::line("summary", "What it is about, in a line.").set_by("issueSummary");
const DESCRIPTION: ActionArgument =
    ActionArgument::text("description", "All there is to say of it.").set_by("issueDescription");
const PRIORITY: ActionArgument =
    ActionArgument::line("priority", "How urgent it is, such as High.").set_by("issuePriority");
const ASSIGNEE: ActionArgument =
    ActionArgument::line("assigneeAccountId", "The account id of whoever is to do it.")
        .set_by("assigneeAccountId");
const START: ActionArgument =
    ActionArgument::whole("startAt", 0, 1_000_000_000, "How many to leave out at the beginning.");

const OF_COMMENTS: ActionArgument =
    ActionArgument::line("issueKey", "The key of the issue, such as PROJ-123.")
        .required()
        .set_by("commentIssueKey");
const COMMENT: ActionArgument =
    ActionArgument::line("commentId", "The id of the comment.").required().set_by("commentId");
const TEXT: ActionArgument =
    ActionArgument::text("text", "What the comment says.").required().set_by("commentText");

const ACCOUNT: ActionArgument =
    ActionArgument::line("accountId", "The account id of the user.").required().set_by("userAccountId");
const EMAIL: ActionArgument =
    ActionArgument::line("emailAddress", "The mail address of the user.").set_by("userEmail");
const NAME: ActionArgument =
    ActionArgument::line("displayName", "The name of the user.").set_by("userDisplayName");
const QUERY: ActionArgument =
    ActionArgument::line("query", "A part of a name or of a mail address.").required().set_by("userQuery");
const MOST_USERS: ActionArgument = ActionArgument::whole("maxResults", 1, 1000, "How many to list at most.")
    .in_query()
    .set_by("userMaxResults");

const LISTED: &[ActionArgument] = &[
    PROJECT,
    ActionArgument::line("jql", "Which issues, in the query language of Jira.").set_by("jqlQuery"),
    ActionArgument::whole("maxResults", 1, 1000, "How many to list at most.").set_by("issueMaxResults"),
    START,
    ActionArgument::line("nextPageToken", "Where to go on, as an answer before says."),
];
const NEW_ISSUE: &[ActionArgument] = &[
    PROJECT.required(),
    ActionArgument::line("issueType", "What it is, such as Bug, Task or Story.")
        .required()
        .set_by("issueType"),
    SUMMARY.required(),
    DESCRIPTION,
    PRIORITY,
    ASSIGNEE,
    ActionArgument::lines("labels", "Labels it bears."),
];
const OTHER_ISSUE: &[ActionArgument] = &[ISSUE, SUMMARY, DESCRIPTION, PRIORITY, ASSIGNEE];
const ONE_ISSUE: &[ActionArgument] = &[ISSUE];
const ASSIGNED: &[ActionArgument] = &[ISSUE, ASSIGNEE.required()];
const MOVED: &[ActionArgument] = &[
    ISSUE,
    ActionArgument::line("transitionId", "The id of the transition that moves it on.")
        .required()
        .set_by("transitionId"),
];
const COMMENTS: &[ActionArgument] = &[
    OF_COMMENTS,
    ActionArgument::whole("maxResults", 1, 1000, "How many to list at most.").in_query(),
    START.in_query(),
];
const NEW_COMMENT: &[ActionArgument] = &[OF_COMMENTS, TEXT];
const ONE_COMMENT: &[ActionArgument] = &[OF_COMMENTS, COMMENT];
const OTHER_COMMENT: &[ActionArgument] = &[OF_COMMENTS, COMMENT, TEXT];
const NEW_USER: &[ActionArgument] = &[
    EMAIL.required(),
    NAME.required(),
    ActionArgument::line("username", "What the user signs in with, on servers of one's own."),
];

const ONE: &str = "/issue/{issueKey}";
const OF_ISSUE: &str = "/issue/{issueKey}/comment";
const OF_COMMENT: &str = "/issue/{issueKey}/comment/{commentId}";

const LIST: ServiceAction =
    ServiceAction::post("listIssues", "Lists issues of a project or of a query.", "/search").takes(LISTED);
const CREATE: ServiceAction =
    ServiceAction::post("createIssue", "Makes an issue.", "/issue").takes(NEW_ISSUE);
const GET: ServiceAction = ServiceAction::get("getIssue", "Reads an issue.", ONE).takes(ONE_ISSUE);
const UPDATE: ServiceAction =
    ServiceAction::put("updateIssue", "Changes what is given of an issue; the rest stays as it is.", ONE)
        .takes(OTHER_ISSUE);
const DELETE: ServiceAction =
    ServiceAction::delete("deleteIssue", "Deletes an issue for good.", ONE).takes(ONE_ISSUE);
const ASSIGN: ServiceAction =
    ServiceAction::put("assignIssue", "Gives an issue to somebody.", "/issue/{issueKey}/assignee")
        .takes(ASSIGNED);
const MOVE: ServiceAction = ServiceAction::post(
    "transitionIssue",
    "Moves an issue on to another status.",
    "/issue/{issueKey}/transitions",
)
.takes(MOVED)
.sends(|given| Ok(json!({"transition": {"id": given.text("transitionId")}})));
const LIST_COMMENTS: ServiceAction =
    ServiceAction::get("listComments", "Lists the comments of an issue.", OF_ISSUE).takes(COMMENTS);
const COMMENT_ON: ServiceAction =
    ServiceAction::post("createComment", "Comments on an issue.", OF_ISSUE).takes(NEW_COMMENT);
const GET_COMMENT: ServiceAction =
    ServiceAction::get("getComment", "Reads a comment of an issue.", OF_COMMENT).takes(ONE_COMMENT);
const UPDATE_COMMENT: ServiceAction =
    ServiceAction::put("updateComment", "Changes what a comment says.", OF_COMMENT).takes(OTHER_COMMENT);
const DELETE_COMMENT: ServiceAction =
    ServiceAction::delete("deleteComment", "Deletes a comment for good.", OF_COMMENT).takes(ONE_COMMENT);
const SEARCH_USERS: ServiceAction = ServiceAction::get("searchUsers", "Looks for users.", "/user/search");
const GET_USER: ServiceAction = ServiceAction::get("getUser", "Reads who a user is.", "/user");
const CREATE_USER: ServiceAction =
    ServiceAction::post("createUser", "Invites a user.", "/user").takes(NEW_USER);
const UPDATE_USER: ServiceAction =
    ServiceAction::put("updateUser", "Changes mail address or name of a user.", "/user");
const DELETE_USER: ServiceAction = ServiceAction::delete("deleteUser", "Removes a user.", "/user");

/// The table of the cloud.
pub(super) const CLOUD: &[ServiceAction] = &[
    ServiceAction { path: "/search/jql", ..LIST }.sends(|given| {
        // Without this an answer holds nothing but ids.
        let mut search = search(given, &[("nextPageToken", "nextPageToken")])?;
        search.insert("fields".to_owned(), json!(["*navigable"]));
        Ok(search.into())
    }),
    CREATE.sends(|given| Ok(issue(given, rich, "accountId"))),
    GET,
    UPDATE.sends(|given| Ok(issue(given, rich, "accountId"))),
    DELETE,
    ASSIGN.sends(|given| Ok(json!({ "accountId": given.text("assigneeAccountId") }))),
    MOVE,
    LIST_COMMENTS,
    COMMENT_ON.sends(|given| Ok(json!({ "body": rich(given.text_or_empty("text")) }))),
    GET_COMMENT,
    UPDATE_COMMENT.sends(|given| Ok(json!({ "body": rich(given.text_or_empty("text")) }))),
    DELETE_COMMENT,
    SEARCH_USERS.takes(&[QUERY.in_query(), MOST_USERS, START.in_query()]),
    GET_USER.takes(&[ACCOUNT.in_query()]),
    CREATE_USER.sends(|given| {
        let mut user = given.object(&[("emailAddress", "emailAddress"), ("displayName", "displayName")]);
        user.insert("products".to_owned(), json!([]));
        Ok(user.into())
    }),
    UPDATE_USER.takes(&[ACCOUNT.in_query(), EMAIL, NAME]).sends(|_| {
        Err("In Jira's cloud users change their accounts themselves: nobody else can do it from here."
            .to_owned())
    }),
    DELETE_USER.takes(&[ACCOUNT.in_query()]),
];

/// The table of servers of one's own.
pub(super) const SERVER: &[ServiceAction] = &[
    LIST.sends(|given| Ok(search(given, &[("startAt", "startAt")])?.into())),
    CREATE.sends(|given| Ok(issue(given, plain, "name"))),
    GET,
    UPDATE.sends(|given| Ok(issue(given, plain, "name"))),
    DELETE,
    ASSIGN.sends(|given| Ok(json!({ "name": given.text("assigneeAccountId") }))),
    MOVE,
    LIST_COMMENTS,
    COMMENT_ON.sends(|given| Ok(json!({ "body": given.text("text") }))),
    GET_COMMENT,
    UPDATE_COMMENT.sends(|given| Ok(json!({ "body": given.text("text") }))),
    DELETE_COMMENT,
    SEARCH_USERS.takes(&[QUERY.as_query("username"), MOST_USERS, START.in_query()]),
    GET_USER.takes(&[ACCOUNT.as_query("username")]),
    CREATE_USER.sends(|given| {
        let names = [("emailAddress", "emailAddress"), ("displayName", "displayName"), ("username", "name")];
        let mut user = given.object(&names);
        user.entry("name").or_insert_with(|| given.text("emailAddress").into());
        Ok(user.into())
    }),
    UPDATE_USER.takes(&[ACCOUNT.as_query("username"), EMAIL, NAME]).sends_fields(),
    DELETE_USER.takes(&[ACCOUNT.as_query("username")]),
];

/// A search, with these arguments beside the query.
fn search(given: &CallArguments, more: &[(&str, &str)]) -> Result<Map<String, Value>, String> {
    let project =
        given.text("projectKey").map(|key| format!("project = \"{}\"", key.replace(['"', '\\'], "")));
    let jql = match (project, given.text("jql")) {
        (Some(project), Some(jql)) if !jql.to_ascii_lowercase().contains("project") => within(&project, jql),
        (_, Some(jql)) => jql.to_owned(),
        (Some(project), None) => project,
        (None, None) => return Err("Give projectKey or jql.".to_owned()),
    };
    let mut search = given.object(&[("maxResults", "maxResults")]);
    search.extend(given.object(more));
    search.insert("jql".to_owned(), jql.into());
    Ok(search)
}

/// A query within a project; what says the order stays at its end.
fn within(project: &str, jql: &str) -> String {
    let order = jql.to_ascii_lowercase().find("order by").filter(|at| jql.is_char_boundary(*at));
    let (query, order) = jql.split_at(order.unwrap_or(jql.len()));
    match query.trim() {
        "" => format!("{project} {order}"),
        query => format!("{project} AND ({query}) {order}").trim_end().to_owned(),
    }
}

/// The fields of an issue, with texts as they are written there, and people by this name of their ids.
fn issue(given: &CallArguments, written: fn(&str) -> Value, person: &str) -> Value {
    let mut fields = given.object(&[("summary", "summary"), ("labels", "labels")]);
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(name.to_owned(), value);
        }
    };
    put("project", given.text("projectKey").map(|key| json!({ "key": key })));
    put("issuetype", given.text("issueType").map(|name| json!({ "name": name })));
    put("description", given.text("description").map(written));
    put("priority", given.text("priority").map(|name| json!({ "name": name })));
    put("assignee", given.text("assigneeAccountId").map(|id| json!({ person: id })));
    json!({ "fields": fields })
}

fn plain(text: &str) -> Value {
    text.into()
}

/// A text as Jira's cloud writes texts: a document of paragraphs.
fn rich(text: &str) -> Value {
    let paragraph = |line: &str| {
        let content = if line.is_empty() { json!([]) } else { json!([{"type": "text", "text": line}]) };
        json!({"type": "paragraph", "content": content})
    };
    json!({"type": "doc", "version": 1, "content": text.lines().map(paragraph).collect::<Vec<_>>()})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_stays_within_its_project() {
        assert_eq!(
            within("project = \"P\"", "status = Done ORDER BY rank"),
            "project = \"P\" AND (status = Done) ORDER BY rank"
        );
        assert_eq!(within("project = \"P\"", "order by rank"), "project = \"P\" order by rank");
        assert_eq!(within("project = \"P\"", "a = 1 OR b = 2"), "project = \"P\" AND (a = 1 OR b = 2)");
    }

    #[test]
    fn a_text_becomes_a_document() {
        let document = rich("One\n\nTwo");
        assert_eq!(document["content"].as_array().map(Vec::len), Some(3));
        assert_eq!(document["content"][2]["content"][0]["text"], "Two");
    }
}
