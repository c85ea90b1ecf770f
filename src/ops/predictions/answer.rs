//! What a run produced becomes an answer (manual 2.6).

use super::ask::PredictionRun;
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::RunOutput;

pub(super) fn answer_of(run: &PredictionRun, output: RunOutput, session_token: String) -> PredictionAnswer {
    PredictionAnswer {
        output,
        question: run.question.text.clone(),
        form: run.request.form.clone(),
        ids: run.ids,
        session: run.session(),
        memory_type: run.plan.memory_type().map(str::to_owned),
        session_token,
        version: run.version,
        is_stream_valid: run.question.streaming && run.streams,
    }
}
