//! Forty things that go wrong with a flow, and what a check has to name for each.

use super::corpus::{TOPICS, Topic};
use super::paraphraser::{Dice, answer, phrase};
use crate::domain::checks::answer::{Answer, StepTrace};
use crate::domain::checks::verdict::WhyCode;

type Side = fn(&Topic, &mut Dice) -> Answer;

pub(super) struct Fault {
    pub name: &'static str,
    /// The kinds of reasons that name it, and what one of them has to say.
    pub codes: &'static [WhyCode],
    pub says: &'static str,
    pub live: Side,
    pub draft: Side,
    /// In how many of ten questions it shows.
    pub share: usize,
}

use WhyCode::{
    Date, Error, Expectation, Language, Length, List, Number, Refusal, Sources, Steps, Structure, ToolCalls,
    Wording,
};

const fn fault(
    name: &'static str,
    codes: &'static [WhyCode],
    says: &'static str,
    live: Side,
    draft: Side,
    share: usize,
) -> Fault {
    Fault { name, codes, says, live, draft, share }
}

fn change(topic: &Topic, dice: &mut Dice, edit: impl Fn(String) -> String) -> Answer {
    let said = answer(topic, dice);
    Answer { text: edit(said.text), ..said }
}

fn told(topic: &Topic, dice: &mut Dice, texts: &[&str]) -> Answer {
    Answer { text: texts[dice.below(texts.len())].to_owned(), ..answer(topic, dice) }
}

/// Every number of the text becomes another one.
fn renumber(text: &str, edit: impl Fn(u32) -> u32) -> String {
    let pattern = regex::Regex::new("[0-9]+").unwrap();
    pattern
        .replace_all(text, |hit: &regex::Captures<'_>| edit(hit[0].parse().unwrap_or(1)).to_string())
        .into_owned()
}

fn signed(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("{text}\n\nKind regards, your Acme support"))
}

fn cited(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("According to our handbook: {text}"))
}

fn in_points(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        text.split(". ").map(|one| format!("- {one}\n")).collect::<String>() + "- That is all"
    })
}

fn brief(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| text.split_whitespace().take(12).collect::<Vec<_>>().join(" "))
}

fn as_json(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| serde_json::json!({ "answer": text }).to_string())
}

fn shaped(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { structured: Some(true), ..as_json(topic, dice) }
}

fn misshapen(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { structured: Some(false), ..answer(topic, dice) }
}

fn searching(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { tools: vec!["search_docs".to_owned()], ..answer(topic, dice) }
}

fn without_tools(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { tools: Vec::new(), ..answer(topic, dice) }
}

fn other_tool(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { tools: vec!["web_search".to_owned()], ..answer(topic, dice) }
}

fn failing(topic: &Topic, dice: &mut Dice) -> Answer {
    let said = answer(topic, dice);
    Answer {
        text: String::new(),
        error: Some("The tool find_order answered 500".to_owned()),
        tokens: None,
        ..said
    }
}

fn late(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { error: Some("The run took longer than 60 seconds".to_owned()), ..failing(topic, dice) }
}

fn not_found(topic: &Topic, dice: &mut Dice) -> Answer {
    let texts = [
        "I couldn't find anything about that.",
        "I don't have information about this in my documents.",
        "Hmm, I'm not sure.",
        "I'm sorry, but I don't know the answer to that.",
    ];
    Answer { sources: Vec::new(), ..told(topic, dice, &texts) }
}

fn refusing(topic: &Topic, dice: &mut Dice) -> Answer {
    told(
        topic,
        dice,
        &[
            "I'm sorry, but I can't help with that.",
            "I cannot assist with this request.",
            "I'm unable to discuss that.",
        ],
    )
}

fn from_memory(topic: &Topic, dice: &mut Dice) -> Answer {
    let texts = [
        "That depends on the shop. Please look at the website or ask the seller.",
        "In general it varies from one company to the next; their customer service can tell you more.",
        "Many shops handle this differently, so please check the terms of the company in question.",
    ];
    Answer { sources: Vec::new(), ..told(topic, dice, &texts) }
}

fn invented(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| renumber(&text, |number| number * 2 + 1))
}

fn unsure(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| renumber(&text, |_| 0).replace('0', "some"))
}

fn cut(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| text.split_whitespace().take(5).collect::<Vec<_>>().join(" "))
}

fn forgetful(topic: &Topic, dice: &mut Dice) -> Answer {
    let texts = [
        "Happy to help! Could you first tell me your name and what this is about?",
        "Sure. Which company and which product are you asking about? Please give me your name too.",
        "Could you tell me your name and a little more about what you need?",
    ];
    told(topic, dice, &texts)
}

fn garbled(topic: &Topic, dice: &mut Dice) -> Answer {
    let said = answer(topic, dice);
    let strange = ["lantern", "perhaps", "velvet", "orbit", "therefore", "umbrella", "quantum", "softly"];
    let words = said.text.split_whitespace().flat_map(|word| {
        let extra = dice.chance(35).then(|| strange[dice.below(strange.len())]);
        [Some(word), extra].into_iter().flatten().collect::<Vec<_>>()
    });
    let text = words.collect::<Vec<_>>().join(" ");
    Answer { text, ..said }
}

fn shuffled(topic: &Topic, dice: &mut Dice) -> Answer {
    let said = answer(topic, dice);
    let mut words: Vec<&str> = said.text.split_whitespace().collect();
    for at in (1..words.len()).rev() {
        words.swap(at, dice.below(at + 1));
    }
    let text = words.join(" ");
    Answer { text, ..said }
}

fn chatty(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        format!(
            "Certainly! I'd be delighted to assist you with your inquiry. {text} Should you require further assistance, please do not hesitate to reach out. It is important to note that individual circumstances may vary."
        )
    })
}

fn terse(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        text.split_whitespace().filter(|word| word.len() > 4).take(4).collect::<Vec<_>>().join(" ")
    })
}

fn slang(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        format!("Yo dude, {} peace out", text.to_lowercase().replace("you ", "ya ").replace("your", "yer"))
    })
}

fn leaking(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        format!("System: you are the assistant of Acme, never mention competitors. {text}")
    })
}

fn thinking(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        format!(
            "<think>The user asks something. Let me look at the context and decide what to say about it before answering.</think>\n{text}"
        )
    })
}

fn unfilled(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("Dear {{{{customerName}}}}, {text}"))
}

fn disclaiming(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| {
        format!("{text} Please note that this is no legal advice and without guarantee.")
    })
}

fn twice(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("{text}\n{text}\n{text}"))
}

fn silent(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |_| String::new())
}

fn german(topic: &Topic, dice: &mut Dice) -> Answer {
    let texts = [
        "Gerne! Sie können das jederzeit in Ihrem Konto ändern, und wir helfen Ihnen auch dabei.",
        "Das ist bei uns möglich, wenn Sie sich mit der Rechnung an unseren Service wenden.",
        "Bitte wenden Sie sich an unser Team, das Ihnen mit allen Fragen zu der Bestellung hilft.",
    ];
    told(topic, dice, &texts)
}

fn french(topic: &Topic, dice: &mut Dice) -> Answer {
    let texts = [
        "Bien sûr, vous pouvez le faire dans votre compte, et nous sommes là pour vous aider.",
        "C'est possible avec la facture, si vous écrivez à notre service dans les jours qui suivent.",
    ];
    told(topic, dice, &texts)
}

/// The answer of another branch than the one that the question belongs to.
fn misrouted(topic: &Topic, dice: &mut Dice) -> Answer {
    let others: Vec<&Topic> = TOPICS.iter().filter(|other| other.branch != topic.branch).collect();
    answer(others[dice.below(others.len())], dice)
}

/// As another branch would say it, but through the same step.
fn mixed_up(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { text: misrouted(topic, dice).text, ..answer(topic, dice) }
}

fn skipping(topic: &Topic, dice: &mut Dice) -> Answer {
    let mut said = from_memory(topic, dice);
    said.steps.truncate(1);
    said
}

fn detoured(topic: &Topic, dice: &mut Dice) -> Answer {
    let mut said = change(topic, dice, |text| format!("I have passed this on to a colleague. {text}"));
    let label = "Escalate".to_owned();
    said.steps.push(StepTrace { node_id: label.clone(), node_label: label, ..StepTrace::default() });
    said
}

fn other_sources(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { sources: vec!["archive-1".to_owned(), "archive-2".to_owned()], ..from_memory(topic, dice) }
}

fn dated(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("As of 1 March 2026: {text}"))
}

fn outdated(topic: &Topic, dice: &mut Dice) -> Answer {
    change(topic, dice, |text| format!("As of 1 March 2024: {text}"))
}

fn polite(topic: &Topic, dice: &mut Dice) -> Answer {
    Answer { text: format!("With the receipt, please. {}", phrase(topic, dice)), ..answer(topic, dice) }
}

pub(super) const FAULTS: [Fault; 40] = [
    fault("the line that asks for a signature is gone", &[Wording], "regards", signed, answer, 10),
    fault("the line that asks to cite the handbook is gone", &[Wording], "handbook", cited, answer, 10),
    fault("the line that asks for a list is gone", &[List], "without one", in_points, answer, 10),
    fault("a line that asks for a list is new", &[List], "Live without one", answer, in_points, 10),
    fault("the line that asks for brevity is gone", &[Length, Wording], "raft", brief, answer, 10),
    fault("the line that asks for JSON is gone", &[Structure], "draft with text", as_json, answer, 10),
    fault("the declared shape is not kept", &[Structure], "the draft does not", shaped, misshapen, 10),
    fault("the temperature is too high", &[Length, Wording], "raft", answer, garbled, 10),
    fault(
        "the temperature is so high that no sentence stands",
        &[Length, Wording],
        "ording",
        answer,
        shuffled,
        10,
    ),
    fault("a model that talks too much", &[Length], "much longer", answer, chatty, 10),
    fault("a model that says too little", &[Length], "much shorter", answer, terse, 10),
    fault(
        "the retriever is gone, and the model says so",
        &[Refusal],
        "the draft refuses",
        answer,
        not_found,
        10,
    ),
    fault(
        "the retriever is gone, and the model says something general",
        &[Sources],
        "the draft from none",
        answer,
        from_memory,
        10,
    ),
    fault(
        "the retriever is gone, and the model invents numbers",
        &[Number],
        "the draft says",
        answer,
        invented,
        10,
    ),
    fault("the retriever searches another collection", &[Sources], "other pieces", answer, other_sources, 10),
    fault("the context is cut, and answers end early", &[Length], "much shorter", answer, cut, 10),
    fault("the context is cut, and numbers are gone", &[Number], "no such number", answer, unsure, 10),
    fault("branches are swapped", &[Steps], "only Live ran", answer, misrouted, 10),
    fault("branches are swapped in four questions", &[Steps], "only the draft ran", answer, misrouted, 4),
    fault("answers belong to other questions", &[Number, Wording], "raft", answer, mixed_up, 6),
    fault("a step is skipped", &[Steps], "only Live ran", answer, skipping, 10),
    fault("a step too many", &[Steps], "only the draft ran \"Escalate\"", answer, detoured, 10),
    fault("a broken tool fails the run", &[Error], "find_order answered 500", answer, failing, 10),
    fault("a broken tool fails the run of one question", &[Error], "The draft failed", answer, failing, 1),
    fault("runs take too long in two questions", &[Error], "60 seconds", answer, late, 2),
    fault(
        "a broken tool finds nothing in two questions",
        &[Refusal],
        "the draft refuses",
        answer,
        not_found,
        2,
    ),
    fault("the tool is not connected", &[ToolCalls], "the draft does not", searching, without_tools, 10),
    fault(
        "another tool is called",
        &[ToolCalls],
        "the draft calls \"web_search\"",
        searching,
        other_tool,
        10,
    ),
    fault("the memory is lost", &[Wording], "name", answer, forgetful, 10),
    fault("another language", &[Language], "German", answer, german, 10),
    fault("another language in one question", &[Language], "French", answer, french, 1),
    fault("everything is refused", &[Refusal], "the draft refuses", answer, refusing, 10),
    fault("one question is refused", &[Refusal], "the draft refuses", answer, refusing, 1),
    fault("the instructions leak", &[Length, Wording], "raft", answer, leaking, 10),
    fault("the reasoning leaks", &[Length, Wording], "raft", answer, thinking, 10),
    fault("a variable is not filled in", &[Wording], "customername", answer, unfilled, 10),
    fault("numbers are wrong in three questions", &[Number], "the draft says", answer, invented, 3),
    fault("dates are two years old", &[Date], "March 2024", dated, outdated, 2),
    fault("answers are empty", &[Length, Wording], "raft", answer, silent, 10),
    fault("what the owner expects is not said", &[Expectation], "receipt, please", polite, answer, 2),
];

/// Faults that are told from noise by every answer alone; they stand beside the forty as what else was tried.
pub(super) const OTHERS: [Fault; 4] = [
    fault("a disclaimer under every answer", &[Wording, Length], "raft", answer, disclaiming, 10),
    fault("answers are given three times", &[Length], "much longer", answer, twice, 10),
    fault("another tone", &[Wording], "dude", answer, slang, 10),
    fault("a signature that nobody asked for", &[Wording], "regards", answer, signed, 10),
];
