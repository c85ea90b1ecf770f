//! Files that tools made, those of a provider and those of a flow: they are kept with the conversation.

use crate::domain::error::Result;
use crate::kit::build::component::Picture;
use crate::kit::build::inputs::Inputs;
use crate::kit::capabilities::files::{AnswerFiles, KeptFile, NewFile};
use crate::kit::models::model::Model;
use crate::kit::models::model_tally::ModelTally;
use crate::llm::MadeFile;

/// Keeps pictures that a tool made. Where a run keeps none, they are left out.
///
/// # Errors
/// When a quota is reached.
pub(crate) fn keep_pictures(inputs: &Inputs<'_>, pictures: &[Picture]) -> Result<Vec<KeptFile>> {
    let Some(granted) = inputs.want::<dyn AnswerFiles>() else { return Ok(Vec::new()) };
    let keep = |Picture { name, mime, bytes }: &Picture| {
        granted.of(inputs.host)?.keep_file(&NewFile { name, mime, bytes })
    };
    pictures.iter().map(keep).collect()
}

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
