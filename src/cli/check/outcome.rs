//! What came of a check, read from the answer of the API: how the command ends, and what it prints.

use super::super::table::cell;
use serde_json::Value;
use std::fmt::Write as _;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Nothing is reported.
    Clean,
    /// A change is reported.
    Reported,
    /// It could not be judged.
    Unjudged,
}

/// A check as the API gives it.
pub(super) struct Outcome<'a> {
    check: &'a Value,
    pub(super) ending: Ending,
}

impl<'a> Outcome<'a> {
    #[must_use]
    pub(super) fn new(check: &'a Value) -> Self {
        let has_all = check["completed"].as_u64().is_some_and(|count| Some(count) == check["total"].as_u64());
        let ran = check["status"] == "done" || (check["status"] == "stopped" && has_all);
        let ending = match (ran, check["summary"]["reportsChange"] == true) {
            (false, _) => Ending::Unjudged,
            (true, true) => Ending::Reported,
            (true, false) => Ending::Clean,
        };
        Self { check, ending }
    }

    pub(super) fn cases(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.check["cases"].as_array().into_iter().flatten()
    }

    /// What both sides are called.
    pub(super) fn side_names(&self) -> (&'a str, &'a str) {
        let name = |side: &str| self.check[side]["name"].as_str();
        (name("left").unwrap_or("Live"), name("right").unwrap_or("The draft"))
    }

    /// All answers to this question are there.
    pub(super) fn has_run(&self, case: &Value) -> bool {
        if self.check["liveEmpty"] == true { !case["draft"].is_null() } else { !case["verdict"].is_null() }
    }

    /// This question reports a change.
    pub(super) fn reports(case: &Value) -> bool {
        case["verdict"] == "changed" || case["confirmed"].is_boolean()
    }

    /// Why a check that was not judged was not.
    pub(super) fn obstacle(&self) -> String {
        let check = self.check;
        match (check["status"].as_str(), check["stopReason"].as_str()) {
            (Some("failed"), _) => format!("the check failed: {}", cell(&check["error"])),
            (_, Some(reason)) => {
                let why = match reason {
                    "tokens" => {
                        "its tokens were used up; allow more with --max-tokens, or ask fewer questions"
                    }
                    "time" => "its time was up; allow more with --max-seconds, or ask fewer questions",
                    _ => "it was stopped",
                };
                let (ran, total) = (&check["completed"], &check["total"]);
                format!("the check could not be judged: {ran} of {total} questions ran when {why}")
            }
            _ => "the check did not come to its end".to_owned(),
        }
    }

    /// The result in one sentence.
    pub(super) fn headline(&self) -> String {
        let counts = &self.check["summary"]["verdicts"];
        let parts = [("same", "same"), ("noise", "noise"), ("changed", "changed"), ("error", "failed")];
        let told: Vec<String> = parts
            .iter()
            .filter_map(|(field, word)| {
                let count = counts[field].as_u64().filter(|count| *count > 0)?;
                Some(format!("{count} {word}"))
            })
            .collect();
        let result = match self.ending {
            Ending::Clean => "No change is reported",
            Ending::Reported => "A change is reported",
            Ending::Unjudged => "The check could not be judged",
        };
        if told.is_empty() { format!("{result}.") } else { format!("{result}: {}.", told.join(", ")) }
    }

    /// What the test over all questions says, and what to know of it.
    pub(super) fn describe_test(&self) -> String {
        let summary = &self.check["summary"];
        let test = summary["pValue"].as_f64().zip(summary["test"].as_str());
        let told = test.map(|(p, test)| format!("p = {p:.4} ({test})\n")).unwrap_or_default();
        let note = summary["note"].as_str().map(|note| format!("{note}\n")).unwrap_or_default();
        told + &note
    }

    /// All of it for a terminal: a line for each question, and below it what differs.
    pub(super) fn render(&self) -> String {
        let mut shown = String::new();
        for case in self.cases() {
            let verdict = match (case["verdict"].as_str(), self.has_run(case)) {
                (Some(verdict), _) => verdict,
                (None, true) => "answered",
                (None, false) => "not run",
            };
            let _ = writeln!(shown, "{verdict:<8}  {}", cell(&case["question"]));
            for why in case["why"].as_array().into_iter().flatten() {
                let _ = writeln!(shown, "          {}", cell(&why["message"]));
            }
            if case["confirmed"] == true {
                shown.push_str("          (asked again: it differed again)\n");
            }
        }
        let test = self.describe_test();
        let lines = test.lines().map(|line| cell(&line.into()) + "\n").collect::<String>();
        shown + "\n" + &self.headline() + "\n" + &lines
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    pub(in super::super) fn case(question: &str, verdict: &str, reports: bool) -> Value {
        let answer = |text: &str| json!({"text": text, "error": null, "tokens": 5, "ms": 1_500});
        json!({
            "question": question, "live": answer("30 days"), "draft": answer("14 days"), "same": false, "verdict": verdict,
            "confirmed": reports.then_some(true), "runs": {"live": [answer("30 days")], "draft": [answer("14 days")]},
            "why": [{"code": "number", "message": "Live says 30, the draft says 14."}],
        })
    }

    pub(in super::super) fn check(status: &str, cases: Vec<Value>, reports: bool) -> Value {
        let total = cases.len();
        let completed = cases.iter().filter(|case| !case["verdict"].is_null()).count();
        json!({
            "status": status, "stopReason": (status == "stopped").then_some("time"), "error": null, "total": total,
            "completed": completed, "liveEmpty": false, "cases": cases,
            "summary": {"reportsChange": reports, "pValue": 0.0123, "test": "permutation", "note": null,
                "verdicts": {"same": 0, "noise": 1, "changed": 1, "error": 0}},
        })
    }

    #[test]
    fn the_ending_follows_the_report_where_every_question_ran() {
        let ending = |status: &str, cases: Vec<Value>, reports: bool| {
            Outcome::new(&check(status, cases, reports)).ending
        };
        let one = || vec![case("What?", "noise", false)];
        assert_eq!(ending("done", one(), false), Ending::Clean);
        assert_eq!(ending("done", one(), true), Ending::Reported);
        assert_eq!(ending("failed", one(), true), Ending::Unjudged);
        assert_eq!(ending("stopped", one(), true), Ending::Reported, "all questions ran before the cap");
        assert_eq!(
            ending("stopped", vec![json!({"question": "Late?", "verdict": null})], true),
            Ending::Unjudged
        );
    }

    #[test]
    fn what_stopped_it_is_told_with_what_to_do() {
        let late = check("stopped", vec![json!({"question": "Late?", "verdict": null})], false);
        let told = Outcome::new(&late).obstacle();
        assert!(told.contains("0 of 1 questions ran") && told.contains("--max-seconds"), "{told}");
    }

    #[test]
    fn the_text_names_each_verdict_and_moves_no_cursor() {
        let check = check("done", vec![case("What\u{1b}[2J?", "changed", true)], true);
        let shown = Outcome::new(&check).render();
        let expected = "changed   What\\u{1b}[2J?\n          Live says 30, the draft says 14.\n          (asked again: it differed \
                        again)\n\nA change is reported: 1 noise, 1 changed.\np = 0.0123 (permutation)\n";
        assert_eq!(shown, expected);
    }
}
