//! An answer, whole or as the events at the end of a stream (manual 2.6).

use super::run_events::RunStepView;
use super::run_facts::{
    AgentReasoningView, ArtifactView, DocumentView, FileAnnotationView, UsageView, UsedToolView,
    reasoning_views,
};
use crate::domain::flows::harness_name::HarnessName;
use crate::domain::flows::live_version::LiveVersion;
use crate::domain::flows::version::Sha;
use crate::domain::ids::{ChatId, ExecutionId, MessageId};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::execution::ExecutionEntry;
use crate::domain::predictions::prediction::RunOutput;
use crate::domain::predictions::team::{
    SpecialistArtifact, SpecialistRun, SpecialistSource, TeamOutput, TeamTimings, TeamUsage,
};
#[cfg(feature = "test-support")]
use crate::time::IsoTime;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;

/// A whole answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Answer"))]
pub struct AnswerView {
    text: String,
    /// Where the flow answers with a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Value"))]
    json: Option<Value>,
    /// The form that the run of an agentflow began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Map<String, Value>"))]
    form: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<RunStepView<'static>>"))]
    agent_flow_executed_data: Option<Vec<RunStep>>,
    /// The turns of the members of a Multi-Agent or Sequential Agent flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<AgentReasoningView>"))]
    agent_reasoning: Option<Vec<AgentReasoningView>>,
    #[serde(flatten)]
    metadata: AnswerMetadata,
    is_stream_valid: bool,
    /// The version of Live that answered: in the test chat, where Live was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "AnswerVersionView"))]
    version: Option<AnswerVersionView>,
    #[serde(flatten)]
    lists: AnswerLists,
    #[serde(flatten)]
    team: Option<TeamView>,
    /// Proof of this conversation, to go on with it.
    session_token: String,
}

/// What an answer has where a team gave it, beside its artifacts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
struct TeamView {
    /// The name of the harness.
    harness: HarnessName,
    /// The specialists that ran, in the order of the team.
    agents: Vec<SpecialistRun>,
    /// Chunks and pages that specialists leaned on.
    sources: Vec<SpecialistSource>,
    timings: TeamTimings,
    /// Tokens of all calls of models: route, specialists and handoff.
    usage: TeamUsage,
    /// The object that the harness is to report with; else who was asked what, and what they said.
    report: Value,
    /// Why there is no such object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    report_error: Option<String>,
}

impl TeamView {
    fn new(team: TeamOutput) -> (Self, Vec<SpecialistArtifact>) {
        let TeamOutput { harness, agents, sources, artifacts, timings, usage, report, report_error } = team;
        (Self { harness, agents, sources, timings, usage, report, report_error }, artifacts)
    }
}

/// The `metadata` of an answer: no session token, because whoever reads a stream has it from the head (manual 2.8).
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct AnswerMetadata {
    question: String,
    chat_id: ChatId,
    chat_message_id: MessageId,
    /// The conversation; or what the caller named it, where the flow lets callers with its key do so.
    session_id: String,
    /// The record of the run of an agentflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "ExecutionId"))]
    execution_id: Option<ExecutionId>,
    /// The version of Live that answered, in short; in a stream only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    flow_version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    memory_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "UsageView"))]
    usage_metadata: Option<UsageView>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    flow_variables: Map<String, Value>,
    /// JSON text of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "String"))]
    follow_up_prompts: Option<String>,
    /// What a person is asked to decide, where a run waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Map<String, Value>"))]
    pub action: Option<Map<String, Value>>,
}

/// A version, as an answer names it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "AnswerVersion"))]
struct AnswerVersionView {
    sha: Sha,
    /// When it was recorded, in the server's zone then.
    #[cfg_attr(feature = "test-support", schemars(with = "IsoTime"))]
    date: String,
}

/// A step of a run that has ended, as [`RunStepView`] shows it.
#[derive(Debug)]
struct RunStep(Arc<ExecutionEntry>);

impl Serialize for RunStep {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RunStepView::from(&*self.0).serialize(serializer)
    }
}

/// The lists of an answer, which are sent only when they hold something.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct AnswerLists {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_documents: Vec<DocumentView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_tools: Vec<UsedToolView>,
    /// Pictures that models of an agentflow's last steps made; files that specialists made, where a team answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(with = "Vec<ArtifactView>"))]
    pub artifacts: Option<Vec<ArtifactView>>,
    /// Other files that they made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file_annotations: Vec<FileAnnotationView>,
}

/// What ends a stream: its lists, each an event of its own, and then its metadata.
#[derive(Debug)]
pub struct AnswerEvents {
    pub lists: AnswerLists,
    pub metadata: AnswerMetadata,
    /// Its reader is told of all lists, also of empty ones, and of what a person is asked.
    pub tells_all: bool,
}

impl AnswerView {
    /// With the version that answered, for somebody who asked for Live.
    #[must_use]
    pub fn with_version(self, version: Option<LiveVersion>) -> Self {
        let name = version.and_then(|version| version.name);
        let version = name.map(|name| AnswerVersionView { sha: name.sha, date: name.iso_date() });
        Self { version, ..self }
    }
}

impl From<PredictionAnswer> for AnswerView {
    fn from(mut answer: PredictionAnswer) -> Self {
        let text = std::mem::take(&mut answer.output.text);
        let json = answer.output.json.take();
        let form = answer.form.take();
        let session_token = std::mem::take(&mut answer.session_token);
        let is_stream_valid = answer.is_stream_valid;
        let run = answer.output.execution.as_deref_mut();
        let entries = run.map(|run| std::mem::take(&mut run.entries));
        let agent_flow_executed_data = entries.map(|steps| steps.into_iter().map(RunStep).collect());
        let turns = answer.output.turns.as_ref();
        let agent_reasoning = turns.map(|turns| reasoning_views(&turns.reasoning));
        // The head of a whole answer names it.
        answer.version = None;
        let team = answer.output.team.take().map(|team| TeamView::new(*team));
        let AnswerEvents { lists, metadata, tells_all } = answer.into();
        // What members used is told of each of them.
        let mut lists = if tells_all { AnswerLists::default() } else { lists };
        let version = None;
        let team = team.map(|(team, artifacts)| {
            lists.artifacts = Some(artifacts.into_iter().map(ArtifactView::from).collect());
            team
        });
        Self {
            text,
            json,
            form,
            agent_flow_executed_data,
            agent_reasoning,
            metadata,
            is_stream_valid,
            version,
            lists,
            team,
            session_token,
        }
    }
}

impl From<PredictionAnswer> for AnswerEvents {
    fn from(answer: PredictionAnswer) -> Self {
        let PredictionAnswer { output, question, ids, session, memory_type, version, .. } = answer;
        let RunOutput {
            used_tools,
            source_documents,
            artifacts,
            file_annotations,
            usage,
            flow_variables,
            follow_up_prompts,
            execution,
            turns,
            ..
        } = output;
        let tells_all = turns.is_some();
        let asked = turns.and_then(|turns| turns.action);
        let artifacts: Vec<ArtifactView> = artifacts.into_iter().map(ArtifactView::from).collect();
        let artifacts = (tells_all || !artifacts.is_empty()).then_some(artifacts);
        Self {
            tells_all,
            lists: AnswerLists {
                source_documents: source_documents.into_iter().map(DocumentView::from).collect(),
                used_tools: used_tools.into_iter().map(UsedToolView::from).collect(),
                artifacts,
                file_annotations: file_annotations.into_iter().map(FileAnnotationView::from).collect(),
            },
            metadata: AnswerMetadata {
                question,
                chat_id: ids.chat,
                chat_message_id: ids.answer,
                session_id: session,
                execution_id: execution.as_ref().map(|run| run.id),
                flow_version: version.and_then(|version| version.short()),
                memory_type,
                usage_metadata: usage.map(UsageView::from),
                flow_variables,
                // Clients read JSON text here, in both modes.
                follow_up_prompts: (!follow_up_prompts.is_empty())
                    .then(|| Value::from(follow_up_prompts).to_string()),
                action: execution.and_then(|run| run.action).or(asked),
            },
        }
    }
}
