//! Jira: reads and writes issues, their comments, and users.

mod actions;

use crate::domain::error::Result;
use crate::kit::web::actions::{Authorization, RestService, chosen_by, toolkit};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Risk};
use actions::{CLOUD, SERVER};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

pub(crate) const CARD: Card = Card {
    name: "jiraTool",
    label: "Jira",
    version: 2.0,
    category: Category::Tools,
    description: "Lets a model read and write issues, comments and users in Jira.",
    base_classes: &["Jira", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::SignIns)],
    inputs: &[
        Input::credential(&["jiraApi", "jiraApiBearerToken"]),
        Input::address("jiraHost", "Host").help("Such as https://example.atlassian.net."),
        Input::choice("jiraType", "Type", KINDS),
        Input::choices("issueActions", "Issue Actions", ISSUES).when("jiraType", "issues"),
        Input::choices("commentActions", "Comment Actions", COMMENTS).when("jiraType", "comments"),
        Input::choices("userActions", "User Actions", USERS).when("jiraType", "users"),
        issue_input("projectKey", "Project Key", &["listIssues", "createIssue"]),
        issue_input("issueType", "Issue Type", &["createIssue"]).help("Such as Bug, Task or Story."),
        issue_input("issueSummary", "Summary", WRITTEN),
        Input::lines("issueDescription", "Description").additional().when_any("issueActions", WRITTEN),
        issue_input("issuePriority", "Priority", WRITTEN).help("Such as High."),
        issue_input(
            "issueKey",
            "Issue Key",
            &["getIssue", "updateIssue", "deleteIssue", "assignIssue", "transitionIssue"],
        )
        .help("Such as PROJ-123."),
        issue_input(
            "assigneeAccountId",
            "Assignee Account ID",
            &["assignIssue", "createIssue", "updateIssue"],
        ),
        issue_input("transitionId", "Transition ID", &["transitionIssue"]),
        issue_input("jqlQuery", "JQL Query", &["listIssues"])
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
        user_input("userQuery", "Search Query", &["searchUsers"]),
        user_input("userAccountId", "Account ID", &["getUser", "updateUser", "deleteUser"]),
        user_input("userEmail", "Email Address", &["createUser", "updateUser"]),
        user_input("userDisplayName", "Display Name", &["createUser", "updateUser"]),
        Input::whole("userMaxResults", "User Max Results", 1.0, 1000.0)
            .starting("50")
            .additional()
            .when_any("userActions", &["searchUsers"]),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| {
        let kinds = [("issues", "issueActions"), ("comments", "commentActions"), ("users", "userActions")];
        let chosen = chosen_by(inputs, "jiraType", &kinds)?;
        // A token of its own is how Jira is signed in to on servers of one's own, which speak the version before.
        let bearer = inputs.optional_secret("bearerToken");
        let (table, version) = if bearer.is_some() { (SERVER, 2) } else { (CLOUD, 3) };
        let base = format!("{}/rest/api/{version}", host(inputs)?);
        toolkit(
            inputs,
            chosen,
            table,
            RestService { name: "Jira", base, authorization: Authorization::Header(proof(inputs, bearer)?) },
        )
    }),
};

fn host(inputs: &Inputs<'_>) -> Result<String> {
    let host = inputs.address("jiraHost").ok_or_else(|| inputs.input_error("jiraHost", "fill this in"))?;
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

const fn issue_input(name: &'static str, label: &'static str, actions: &'static [&'static str]) -> Input {
    Input::text(name, label).additional().when_any("issueActions", actions)
}

const fn user_input(name: &'static str, label: &'static str, actions: &'static [&'static str]) -> Input {
    Input::text(name, label).additional().when_any("userActions", actions)
}

const KINDS: &[Choice] = &[
    Choice::new("issues", "Issues"),
    Choice::new("comments", "Issue Comments"),
    Choice::new("users", "Users"),
];
const ISSUES: &[Choice] = &[
    Choice::new("listIssues", "List Issues"),
    Choice::new("createIssue", "Create Issue"),
    Choice::new("getIssue", "Get Issue"),
    Choice::new("updateIssue", "Update Issue"),
    Choice::new("deleteIssue", "Delete Issue"),
    Choice::new("assignIssue", "Assign Issue"),
    Choice::new("transitionIssue", "Transition Issue"),
];
const COMMENTS: &[Choice] = &[
    Choice::new("listComments", "List Comments"),
    Choice::new("createComment", "Create Comment"),
    Choice::new("getComment", "Get Comment"),
    Choice::new("updateComment", "Update Comment"),
    Choice::new("deleteComment", "Delete Comment"),
];
const USERS: &[Choice] = &[
    Choice::new("searchUsers", "Search Users"),
    Choice::new("getUser", "Get User"),
    Choice::new("createUser", "Create User"),
    Choice::new("updateUser", "Update User"),
    Choice::new("deleteUser", "Delete User"),
];

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_fit_the_card() {
        crate::kit::web::actions::check_actions(&super::CARD, super::CLOUD);
        crate::kit::web::actions::check_actions(&super::CARD, super::SERVER);
    }
}
