//! Files that tools of a provider made while its model answered: they are kept with the conversation.

use crate::cards::kit::build::inputs::Inputs;
use crate::cards::kit::capabilities::files::{AnswerFiles, NewFile};
use crate::cards::kit::models::model::Model;
use crate::cards::kit::models::model_tally::ModelTally;
use crate::domain::error::Result;
use crate::llm::MadeFile;

/// Keeps the files of a reply. Where a run keeps none, as a check does, they are left with the provider.
///
/// # Errors
/// When a file cannot be read from the provider, or not be kept.
pub(crate) fn keep_files(
    inputs: &Inputs<'_>,
    model: &Model,
    files: &[MadeFile],
    tally: &mut ModelTally,
) -> Result<()> {
    let Some(granted) = inputs.want::<dyn AnswerFiles>() else { return Ok(()) };
    for file in files {
        let bytes = model.read_file(file, inputs.host)?;
        let file = NewFile { name: &file.name, mime: &file.mime, bytes: &bytes };
        tally.files.push(granted.of(inputs.host)?.keep_file(&file)?);
    }
    Ok(())
}
