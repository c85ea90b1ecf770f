//! What a run of a harness came to, as its answer tells it (manual 22.4).

use super::plan::TeamPlan;
use super::specialists::{Job, SpecialistEnd};
use crate::cards::kit::KeptFile;
use crate::cards::kit::models::model_tally::picture;
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::predictions::prediction::{Document, RunOutput, Usage, UsedTool};
use crate::domain::predictions::team::{
    Assignment, SpecialistArtifact, SpecialistRun, SpecialistSource, TeamOutput, TeamTimings, TeamUsage,
};
use serde_json::{Map, Value, json};

/// What is gathered on the way to the answer.
pub(super) struct TeamParts {
    harness: HarnessName,
    pub(super) assignments: Vec<Assignment>,
    pub(super) timings: TeamTimings,
    /// Tokens of each part.
    pub(super) usage: Vec<Option<Usage>>,
    report: Value,
    report_error: Option<String>,
}

impl TeamParts {
    pub(super) fn new(plan: &TeamPlan) -> Self {
        Self {
            harness: plan.name.clone(),
            assignments: Vec::new(),
            timings: TeamTimings::default(),
            usage: Vec::new(),
            report: Value::Null,
            report_error: None,
        }
    }

    /// Notes the report: `given` where the harness is to report with an object.
    pub(super) fn report(
        &mut self,
        jobs: &[Job<'_>],
        ends: &[SpecialistEnd],
        given: Option<Result<Map<String, Value>, String>>,
    ) {
        match given {
            None => self.report = self.plain_report(jobs, ends),
            Some(Ok(report)) => self.report = report.into(),
            Some(Err(why)) => self.report_error = Some(why),
        }
    }

    /// Who was asked what, and what they said.
    fn plain_report(&self, jobs: &[Job<'_>], ends: &[SpecialistEnd]) -> Value {
        let said = jobs.iter().zip(ends).filter_map(|(job, end)| Some((job.name(), end.work.as_ref().ok()?)));
        let reports: Vec<Value> =
            said.map(|(name, work)| json!({"specialist": name, "text": work.text})).collect();
        json!({"assignments": self.assignments, "reports": reports})
    }
}

/// What is told of a run that was ended while specialists worked: there is no answer, and no handoff.
pub(super) fn ended_early(mut parts: TeamParts, jobs: &[Job<'_>], ends: Vec<SpecialistEnd>) -> RunOutput {
    parts.report = parts.plain_report(jobs, &ends);
    output(parts, jobs, ends, String::new())
}

pub(super) fn output(
    parts: TeamParts,
    jobs: &[Job<'_>],
    ends: Vec<SpecialistEnd>,
    text: String,
) -> RunOutput {
    let mut agents = Vec::with_capacity(jobs.len());
    let (mut sources, mut artifacts, mut used_tools) = (Vec::new(), Vec::new(), Vec::<UsedTool>::new());
    for (job, end) in jobs.iter().zip(ends) {
        agents.push(SpecialistRun {
            name: job.name().clone(),
            status: end.status,
            ms: end.ms,
            task: job.task.to_owned(),
            model: end.model,
            tokens: end.usage.into(),
        });
        let Ok(work) = end.work else { continue };
        sources.extend(work.sources.into_iter().map(|document| source(job.name(), document)));
        artifacts.extend(work.files.iter().map(|file| artifact(job.name(), file)));
        used_tools.extend(work.used_tools);
    }
    let team = TeamOutput {
        harness: parts.harness,
        agents,
        sources,
        artifacts,
        timings: parts.timings,
        usage: TeamUsage::of(parts.usage),
        report: parts.report,
        report_error: parts.report_error,
    };
    RunOutput { used_tools, team: Some(Box::new(team)), ..RunOutput::from_text(text) }
}

fn source(agent: &HarnessName, document: Document) -> SpecialistSource {
    SpecialistSource {
        agent: agent.clone(),
        page_content: document.page_content,
        metadata: document.metadata,
    }
}

fn artifact(agent: &HarnessName, file: &KeptFile) -> SpecialistArtifact {
    let shown = picture(file);
    let text = |name: &str| shown[name].as_str().unwrap_or_default().to_owned();
    SpecialistArtifact { agent: agent.clone(), kind: text("type"), data: text("data") }
}
