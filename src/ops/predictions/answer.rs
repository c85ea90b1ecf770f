//! What a run produced becomes an answer (manual 2.6).

use super::ask::PredictionRun;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::RunOutput;

pub(super) fn answer_of(run: &PredictionRun, output: RunOutput, session_token: String) -> PredictionAnswer {
    let named = run.session_name.as_ref().map(|name| name.as_str().to_owned());
    PredictionAnswer {
        output,
        question: run.question.text.clone(),
        ids: run.ids,
        session: named.unwrap_or_else(|| run.ids.chat.to_string()),
        memory_type: run.plan.memory_type.clone(),
        session_token,
        is_stream_valid: run.question.streaming && run.streams,
    }
}
