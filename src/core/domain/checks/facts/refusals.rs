//! Whether an answer refuses to answer, told by phrases with which models do that.

use super::super::words::fold;

/// A refusal stands at the beginning; what comes later may be quoted, or be about something else.
const BEGINNING_CHARS: usize = 280;

/// What refuses, by language, as it is written in lower case. No phrase is a lone "cannot": that is also said of parcels.
const PHRASES: [&[&str]; 7] = [
    &[
        "i can't help with",
        "i cannot help with",
        "i can't help you with",
        "i cannot help you with",
        "i can't assist",
        "i cannot assist",
        "i can't answer",
        "i cannot answer",
        "i can't provide",
        "i cannot provide",
        "i can't share",
        "i cannot share",
        "i can't discuss",
        "i cannot discuss",
        "i'm unable to",
        "i am unable to",
        "i'm not able to",
        "i am not able to",
        "i don't know",
        "i do not know",
        "i don't have information",
        "i do not have information",
        "i don't have any information",
        "i do not have any information",
        "i don't have that information",
        "i do not have that information",
        "i don't have access to",
        "i do not have access to",
        "i don't have enough information",
        "i have no information",
        "i couldn't find",
        "i could not find",
        "i'm not sure",
        "i am not sure",
        "i won't be able to",
        "i must decline",
        "i have to decline",
        "as an ai language model",
        "as an ai, i",
        "unable to help with that",
        "can't help with that",
        "not allowed to answer",
        "not allowed to discuss",
        "outside of what i can",
        "beyond what i can",
    ],
    &[
        "ich kann ihnen dabei nicht helfen",
        "ich kann dabei nicht helfen",
        "kann ich nicht helfen",
        "kann ich ihnen nicht helfen",
        "kann ich nicht beantworten",
        "kann ich leider nicht",
        "ich kann leider nicht",
        "ich kann diese frage nicht",
        "ich kann dazu keine",
        "ich bin nicht in der lage",
        "ich weiß es nicht",
        "das weiß ich nicht",
        "das weiß ich leider nicht",
        "ich habe keine informationen",
        "habe ich keine informationen",
        "mir liegen keine informationen",
        "dazu liegen mir keine",
        "darf ich nicht beantworten",
        "als ki-modell",
        "als ki kann ich",
    ],
    &[
        "je ne peux pas vous aider",
        "je ne peux pas répondre",
        "je ne peux pas fournir",
        "je ne suis pas en mesure",
        "je ne sais pas",
        "je n'ai pas d'information",
        "je n'ai pas cette information",
        "je n'ai aucune information",
        "je ne dispose pas d'information",
        "je ne dispose pas de cette information",
        "en tant qu'ia",
    ],
    &[
        "no puedo ayudar",
        "no puedo responder",
        "no puedo proporcionar",
        "no soy capaz de",
        "no estoy en condiciones de",
        "no lo sé",
        "no tengo información",
        "no tengo esa información",
        "no dispongo de información",
        "como modelo de lenguaje",
    ],
    &[
        "non posso aiutar",
        "non posso rispondere",
        "non posso fornire",
        "non sono in grado di",
        "non lo so",
        "non ho informazioni",
        "non dispongo di informazioni",
        "come modello linguistico",
    ],
    &[
        "não posso ajudar",
        "não posso responder",
        "não posso fornecer",
        "não consigo responder",
        "não sou capaz de",
        "não sei",
        "não tenho informações",
        "não disponho de informações",
        "como modelo de linguagem",
    ],
    &[
        "ik kan u niet helpen",
        "ik kan je niet helpen",
        "ik kan daar niet mee helpen",
        "ik kan die vraag niet",
        "ik kan deze vraag niet",
        "ik ben niet in staat",
        "ik weet het niet",
        "dat weet ik niet",
        "ik heb geen informatie",
        "als taalmodel",
    ],
];

/// True when the answer refuses.
#[must_use]
pub(crate) fn refuses(answer: &str) -> bool {
    let beginning: String = answer.chars().take(BEGINNING_CHARS).collect();
    let folded = fold(&beginning).replace('’', "'");
    PHRASES.iter().flat_map(|phrases| phrases.iter()).any(|phrase| stands_in(&folded, phrase))
}

/// True where the phrase stands on its own and is no part of a longer word.
fn stands_in(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_told_from_answers() {
        for text in [
            "I’m sorry, but I can’t help with that.",
            "Hmm, I'm not sure.",
            "Unfortunately I don't have that information.",
            "Das weiß ich leider nicht.",
            "Je ne sais pas.",
            "Lo siento, no puedo responder a eso.",
        ] {
            assert!(refuses(text), "{text}");
        }
        for text in [
            "Parcels cannot be returned after 30 days.",
            "I'm sorry to hear that! Send it back and we refund it.",
            "You can't pay by cheque.",
            "Das geht nicht.",
            "",
        ] {
            assert!(!refuses(text), "{text}");
        }
    }
}
