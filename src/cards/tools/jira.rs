//! Jira: reads and writes issues, their comments, and users.

mod actions;

use crate::cards::kit::actions::{Proof, Service, chosen_by, toolkit};
use crate::cards::kit::{Card, Category, Choice, Input, Inputs, Make, Risk};
use crate::domain::error::Result;
use actions::{CLOUD, SERVER};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The card.
pub const CARD: Card = Card {
    name: "jiraTool",
    label: "Jira",
    version: 2.0,
    category: Category::Tools,
    description: "Lets a model read and write issues, comments and users in Jira.",
    base_classes: &["Jira", "Tool"],
    risk: Risk::Risky,
    inputs: &[
        Input::credential(&["jiraApi", "jiraApiBearerToken"]),
        Input::address("jiraHost", "Host").help("Such as https://example.atlassian.net."),
        Input::choice("jiraType", "Type", KINDS),
        Input::choices("issueActions", "Issue Actions", ISSUES).when("jiraType", "issues"),
        Input::choices("commentActions", "Comment Actions", COMMENTS).when("jiraType", "comments"),
        Input::choices("userActions", "User Actions", USERS).when("jiraType", "users"),
        of_issue("projectKey", "Project Key", &["listIssues", "createIssue"]),
        of_issue("issueType", "Issue Type", &["createIssue"]).help("Such as Bug, Task or Story."),
        of_issue("issueSummary", "Summary", WRITTEN),
        Input::lines("issueDescription", "Description").additional().when_any("issueActions", WRITTEN),
        of_issue("issuePriority", "Priority", WRITTEN).help("Such as High."),
        of_issue(
            "issueKey",
            "Issue Key",
            &["getIssue", "updateIssue", "deleteIssue", "assignIssue", "transitionIssue"],
        )
        .help("Such as PROJ-123."),
        of_issue("assigneeAccountId", "Assignee Account ID", &["assignIssue", "createIssue", "updateIssue"]),
        of_issue("transitionId", "Transition ID", &["transitionIssue"]),
        of_issue("jqlQuery", "JQL Query", &["listIssues"])
            .help("Such as: project = PROJ AND status = \"To Do\""),
        Input::whole("issueMaxResults", "Max Results", 1.0, 1000.0)
            .starting("50")
            .additional()
            .when_any("issueActions", &["listIssues"]),
        Input::text("commentIssueKey", "Issue Key (for Comments)")
            .additional()
            .help("Such as PROJ-123.")
            .when_any("jiraType", &["comments"]),
        Input::lines("commentText", "Comment Text")
            .additional()
            .when_any("commentActions", &["createComment", "updateComment"]),
        Input::text("commentId", "Comment ID")
            .additional()
            .when_any("commentActions", &["getComment", "updateComment", "deleteComment"]),
        of_user("userQuery", "Search Query", &["searchUsers"]),
        of_user("userAccountId", "Account ID", &["getUser", "updateUser", "deleteUser"]),
        of_user("userEmail", "Email Address", &["createUser", "updateUser"]),
        of_user("userDisplayName", "Display Name", &["createUser", "updateUser"]),
        Input::whole("userMaxResults", "User Max Results", 1.0, 1000.0)
            .starting("50")
            .additional()
            .when_any("userActions", &["searchUsers"]),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let kinds = [("issues", "issueActions"), ("comments", "commentActions"), ("users", "userActions")];
        let chosen = chosen_by(inputs, "jiraType", &kinds)?;
        // A token of its own is how Jira is signed in to on servers of one's own, which speak the version before.
        let bearer = inputs.maybe_secret("bearerToken");
        let (table, version) = if bearer.is_some() { (SERVER, 2) } else { (CLOUD, 3) };
        let base = format!("{}/rest/api/{version}", host(inputs)?);
        toolkit(
            inputs,
            chosen,
            table,
            Service { name: "Jira", base, proof: Proof::Header(proof(inputs, bearer)?) },
        )
    }),
};

fn host(inputs: &Inputs<'_>) -> Result<String> {
    let host = inputs.address("jiraHost").ok_or_else(|| inputs.wrong("jiraHost", "fill this in"))?;
    Ok(if host.contains("://") { host } else { format!("https://{host}") })
}

fn proof(inputs: &Inputs<'_>, bearer: Option<String>) -> Result<String> {
    if let Some(token) = bearer {
        return Ok(format!("Bearer {token}"));
    }
    let (user, token) = (inputs.secret("username")?, inputs.secret("accessToken")?);
    Ok(format!("Basic {}", STANDARD.encode(format!("{user}:{token}"))))
}

const WRITTEN: &[&str] = &["createIssue", "updateIssue"];

const fn of_issue(name: &'static str, label: &'static str, actions: &'static [&'static str]) -> Input {
    Input::text(name, label).additional().when_any("issueActions", actions)
}

const fn of_user(name: &'static str, label: &'static str, actions: &'static [&'static str]) -> Input {
    Input::text(name, label).additional().when_any("userActions", actions)
}

const KINDS: &[Choice] =
    &[Choice::of("issues", "Issues"), Choice::of("comments", "Issue Comments"), Choice::of("users", "Users")];
const ISSUES: &[Choice] = &[
    Choice::of("listIssues", "List Issues"),
    Choice::of("createIssue", "Create Issue"),
    Choice::of("getIssue", "Get Issue"),
    Choice::of("updateIssue", "Update Issue"),
    Choice::of("deleteIssue", "Delete Issue"),
    Choice::of("assignIssue", "Assign Issue"),
    Choice::of("transitionIssue", "Transition Issue"),
];
const COMMENTS: &[Choice] = &[
    Choice::of("listComments", "List Comments"),
    Choice::of("createComment", "Create Comment"),
    Choice::of("getComment", "Get Comment"),
    Choice::of("updateComment", "Update Comment"),
    Choice::of("deleteComment", "Delete Comment"),
];
const USERS: &[Choice] = &[
    Choice::of("searchUsers", "Search Users"),
    Choice::of("getUser", "Get User"),
    Choice::of("createUser", "Create User"),
    Choice::of("updateUser", "Update User"),
    Choice::of("deleteUser", "Delete User"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_fit_the_card() {
        crate::cards::kit::actions::hold(&super::CARD, super::CLOUD);
        crate::cards::kit::actions::hold(&super::CARD, super::SERVER);
    }
}
