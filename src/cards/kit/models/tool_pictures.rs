//! Pictures that tools made, as the model gets to see them.

use super::model::Model;
use crate::kit::build::component::Picture;
use crate::llm::{ChatMessage, InlineImage};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Pictures of tools that one conversation with a model holds (manual 14.5).
const TOOL_PICTURES_MAX_COUNT: usize = 20;

/// The largest picture of a tool that a model is shown (manual 14.5).
const TOOL_PICTURE_BYTES_MAX: usize = 3 * 1024 * 1024;

/// All pictures of tools that one conversation with a model holds (manual 14.5).
const TOOL_PICTURES_BYTES_MAX: usize = 12 * 1024 * 1024;

/// Those of these pictures that are sent along with the result of a call: none to a model that takes no images, and no
/// more than the conversation has room for, because each is sent again in every round.
pub(crate) fn shown(model: &Model, pictures: &[Picture], messages: &[ChatMessage]) -> Vec<InlineImage> {
    if pictures.is_empty() || !model.takes_images() {
        return Vec::new();
    }
    let (mut count, mut bytes) = (0, 0);
    for message in messages {
        if let ChatMessage::Tool { images, .. } = message {
            count += images.len();
            bytes += images.iter().map(|image| image.base64.len() / 4 * 3).sum::<usize>();
        }
    }
    let mut shown = Vec::new();
    for Picture { mime, bytes: picture, .. } in pictures {
        let fits = count < TOOL_PICTURES_MAX_COUNT
            && picture.len() <= TOOL_PICTURE_BYTES_MAX
            && bytes + picture.len() <= TOOL_PICTURES_BYTES_MAX;
        if fits {
            count += 1;
            bytes += picture.len();
            shown.push(InlineImage { mime: mime.clone(), base64: STANDARD.encode(picture) });
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::models::test_model::{TestModel, reply};

    fn picture(bytes: usize) -> Picture {
        Picture { name: "a.png".into(), mime: "image/png".into(), bytes: vec![0; bytes] }
    }

    fn result(images: Vec<InlineImage>) -> ChatMessage {
        ChatMessage::Tool { call_id: "c".into(), name: "draw".into(), text: String::new(), images }
    }

    #[test]
    fn a_model_that_takes_no_images_is_shown_none() {
        assert_eq!(shown(&TestModel::new(vec![reply("x")]).model, &[picture(3)], &[]), []);
    }

    #[test]
    fn pictures_are_shown_until_the_conversation_is_full() {
        let model = TestModel::with_images(vec![reply("x")]).model;
        let large = TOOL_PICTURE_BYTES_MAX;
        let first = shown(&model, &[picture(large + 1), picture(large), picture(3)], &[]);
        assert_eq!(first.iter().map(|image| image.base64.len()).collect::<Vec<_>>(), [large / 3 * 4, 4]);
        let messages = [result(first.clone()), result(first.clone()), result(first.clone())];
        assert_eq!(shown(&model, &[picture(large), picture(large - 9)], &messages).len(), 1);
        let many = result(vec![first[1].clone(); TOOL_PICTURES_MAX_COUNT - 1]);
        assert_eq!(shown(&model, &[picture(3), picture(3)], &[many]).len(), 1);
    }
}
