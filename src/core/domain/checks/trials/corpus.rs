//! What a stand-in flow says: questions, and for each the ways of saying its answer.
//!
//! `{a|b}` is one of several ways, `[a]` is said half of the time, `(a)` is left out of short answers, and `<a>` is added to long
//! ones. Sentences are separated by ` / `, and what stands between may change places.

pub(super) struct Topic {
    pub question: &'static str,
    pub answer: &'static str,
    /// Names of what is found in the sources of the flow.
    pub sources: &'static [&'static str],
    pub tool: Option<&'static str>,
    /// The step of an agentflow that answers it.
    pub branch: &'static str,
}

const fn topic(question: &'static str, branch: &'static str, answer: &'static str) -> Topic {
    Topic { question, answer, sources: &[], tool: None, branch }
}

impl Topic {
    const fn from(self, sources: &'static [&'static str]) -> Self {
        Self { sources, ..self }
    }

    const fn with(self, tool: &'static str) -> Self {
        Self { tool: Some(tool), ..self }
    }
}

pub(super) const TOPICS: [Topic; 24] = [
    topic("How long do I have to return an item?", "Returns",
        "{You can return an item|Returns are accepted|Items can be sent back|We take things back} {within|for up to|during} 30 days {after delivery|of delivery|once it has arrived}. / ({Please keep|Do keep|You need} the {receipt|invoice}{, please|}.) / [{It should be unused|Items must be unused}{ and in the original box|}.] / <{Refunds go|The money goes} back to the {card|account} you paid with, {usually|normally} within 5 working days.>",
    ).from(&["returns-1", "returns-2"]),
    topic("What does shipping cost?", "Delivery",
        "{Shipping costs|Delivery is|We charge|You pay} 4.90 euros {for|with} {standard parcels|a standard parcel|each order}. / ({Orders|Anything} {above|over} 50 euros {ship|are sent|go out} {for free|free of charge|at no cost}.) / <{Express delivery|If you are in a hurry, express shipping} {is available|can be chosen at checkout} {for|at} 9.90 euros.>",
    ).from(&["shipping-1"]),
    topic("When are you open?", "Contact",
        "{We are open|Our shop is open|You can visit us} {from|between} {9 am to 6 pm|9:00 to 18:00} {on weekdays|Monday to Friday|during the week}. / ({On Saturdays|Saturdays} we {close|shut} {at 2 pm|at 14:00}.) / [{We are closed|The shop stays closed} on Sundays{ and holidays|}.] / <{Come by|Feel free to drop in}; {parking is free|there is parking behind the house}.>",
    ),
    topic("Where is my order?", "Orders",
        "{Your order|The parcel|It} {left our warehouse|was handed to the carrier|has been shipped} {and|; it} {should arrive|is expected|will be with you} on 3 December 2026. / ({You can follow it|Tracking is available} {with the link|through the link} in {your e-mail|the confirmation}.) / <{If it has not come by then|Should it be late}, {write to us|let us know} {and we look into it|so that we can check}.>",
    ).with("find_order"),
    topic("Can I pay by invoice?", "Payments",
        "{Yes, you can|Yes, paying by invoice is possible|Certainly: invoices are fine} {for|with} orders {up to|of at most} 300 euros. / ({The amount is due|Please pay|Payment is expected} within 14 days.) / [{Cards and PayPal|PayPal and cards} {work too|are accepted as well}.] / <{For a first order|New customers may see that} {a credit check is made|we check the address first}.>",
    ),
    topic("How do I reset my password?", "Account",
        "{Open|Go to} the sign-in page {and|, then} {choose|click|press} \"Forgot password\". / {We send|You get|An e-mail brings} {you |}a link {that works|which is valid} for 60 minutes. / ({Check|Look into} {the spam folder|your spam} {if nothing comes|if it does not show up}.) / <{Choose|Pick} a password of at least 12 characters{ that you use nowhere else|}.>",
    ),
    topic("What do I need to bring to the appointment?", "Visits",
        "{Please bring|Bring|You will need}:\n- {your passport|a passport}\n- {the confirmation|your confirmation letter}\n- {a recent photo|one recent photo}\n / ({It takes|Plan for|Reckon with} about 20 minutes.) / <{Arrive|Please be there} {a little early|a few minutes before}.>",
    ),
    topic("Is the camera waterproof?", "Products",
        "{Yes, it is|Yes, the camera is|It is} {waterproof|sealed} {down to|to a depth of} 10 metres{ without a housing|}. / ({Close|Make sure you close} {all flaps|every flap} {first|before diving}.) / [{Rinse it|Wash it} with {fresh|clean} water {afterwards|after use}.] / <{Salt|Salt water} {can damage|wears out} the seals{ over the years|}.>",
    ).from(&["manual-9"]),
    topic("Do you ship to Norway?", "Delivery",
        "{Yes, we ship|Yes, we deliver|We do send parcels} to Norway{, with DHL|}. / {Delivery takes|It takes|Allow} {six|6} working days{ or so|}. / ({Customs|Duties and taxes} {may be added|can come on top|are paid by you}.) / <{The price|What it costs} {is shown|appears} {at checkout|before you pay}.>",
    ).from(&["shipping-1", "shipping-4"]),
    topic("How many people fit in the meeting room?", "Visits",
        "{The room seats|There is room for|It holds} {twelve|12} people{ around one table|}. / ({A projector|A screen} {is there|is included|can be used}{ free of charge|}.) / <{Coffee and water|Drinks} {are ordered|can be ordered} {at reception|one day ahead}.>",
    ),
    topic("Can I cancel my subscription?", "Account",
        "{You can cancel|Cancelling is possible|Yes, you may cancel} {at any time|whenever you like|any day} {under|in} Settings. / {It then ends|Your plan ends|It stays active until} {with the month|at the end of the paid month|the month is over}. / ({No fee|Nothing} {is charged|has to be paid} for {that|cancelling}.) / <{Your data|What you stored} {is kept|stays available} {for a while|for some weeks} {afterwards|after that}.>",
    ),
    topic("Which sizes does the jacket come in?", "Products",
        "{It comes|The jacket comes|You can get it} in {S, M, L and XL|the sizes S to XL|S, M, L, XL}. / ({It runs|The cut is} {a little small|rather slim}{, so order one size up|}.) / [{The chart|A size chart} {is on|can be found on} the product page.] / <{Exchange is free|Swapping sizes costs nothing} {if it does not fit|when it is too small}.>",
    ).from(&["jacket-2"]),
    topic("Who do I talk to about a complaint?", "Contact",
        "{Please write|Write|Send a message} to {our service team|the service team|customer care}{ at help@example.org|}. / {Someone answers|You hear from us|We reply} within {two|2} working days. / ({Mention|Give|Include} {the order number|your order number}{ if you have it|}.) / <{We are sorry|Sorry} {for the trouble|that something went wrong}{ and will put it right|}.>",
    ),
    topic("What is the weight limit of the bike rack?", "Products",
        "{The rack carries|It carries|You may load} {up to|at most|no more than} 25 kg {on each side|per bike|for each bike}. / ({Tighten|Check} {all straps|the straps} {before driving|before each trip}.) / <{On rough roads|With e-bikes}, {drive slowly|stay below 80 km/h}.>",
    ).from(&["rack-1", "rack-3"]),
    topic("What is my current balance?", "Payments",
        "{Your balance is|You have|The account shows} 120.50 euros{ at the moment|}. / ({The last payment|Your last payment} {arrived|was booked} on 12 November 2026.) / <{Statements|All statements} {can be downloaded|are available} {under|in} Documents.>",
    ).with("get_balance"),
    topic("Is breakfast included?", "Visits",
        "{Breakfast is included|Yes, breakfast is part of the price|Yes, it comes with the room} {and|; it} {is served|can be had} from 7 am {to|until} 10 am. / ({There are|You find|We have} vegan and gluten-free {options|choices}{ too|}.) / <{On request|If you leave early}, {a lunch box|something to take along} {is prepared|can be prepared}{ the evening before|}.>",
    ),
    topic("How do I install the app?", "Account",
        "1. {Open|Go to} {the store|the app store} {on your phone|of your phone}\n2. {Search for|Find} {our name|the app}\n3. {Tap|Press} Install\n / ({Sign in|Log in} {afterwards|when it starts} {with|using} {your e-mail|the same e-mail}.) / <{It needs|You need} {about 80 MB|80 MB} of {space|storage}.>",
    ),
    topic("Do you offer a student discount?", "Payments",
        "{Yes, students get|Yes: there is|We give students} {15 percent|15 %|15% off}{ on everything|}. / ({Upload|Send us|We need} {a student card|proof of enrolment}{ once a year|}.) / [{It cannot be combined|Combining it} with other {offers|codes}{ is not possible|}.] / <{Teachers|Teachers and schools} {can ask|may write to us} {too|as well}.>",
    ),
    topic("When does the course start?", "Visits",
        "{It starts|The course starts|We begin} on 14 January 2027{ in the evening|}. / {There are|You get|It has} {eight|8} {lessons|sessions}{ in all|}. / ({Books|The books} {are included|are part of the price}.) / <{Places are limited|There are few places left}, {so sign up soon|so do not wait too long}.>",
    ).from(&["course-5"]),
    topic("Is my data shared with others?", "Account",
        "{We do not|We never|No, we do not} {sell|share} {your data|what you enter}{ with anyone|}. / ({It is stored|Everything is kept|Data stays} {in Germany|on servers in Germany}{ and encrypted|}.) / [{You can ask|Ask us} {for a copy|for an export} {at any time|whenever you want}.] / <{Our privacy page|The privacy notice} {explains|lists} {the details|what is kept and why}.>",
    ).from(&["privacy-1", "privacy-2"]),
    topic("What is the warranty?", "Returns",
        "{You have|There is|We give|It comes with} {a |}{two|2} {year|years of} warranty{ on all parts|}. / ({Batteries|For batteries it} {are covered for|have|is} 6 months.) / <{Damage by water|Water damage} {is not covered|is left out}{, I am afraid|}.>",
    ).from(&["returns-2", "warranty-1"]),
    topic("Can you recommend a gift?", "Products",
        "{How about|I would suggest|Many people like|A good choice is} {a tea set|the blue mug|a notebook|our cookbook|a scarf}{?|.} / ({It comes|We send it} {wrapped|in a nice box}{ if you like|}.) / [{Gift cards|A gift card} {are an option too|always work|can be bought too}.] / <{Tell me|Let me know} {who it is for|the occasion} {and I can narrow it down|for a better idea}.>",
    ),
    topic("How do I change my address?", "Account",
        "{You can change it|Change it|That is done} {under|in} {Settings, Address|Settings and then Address}. / ({Orders|Parcels} {already sent|on their way} {keep|go to} the old {one|address}.) / <{Remember|Do not forget} {to save|to press Save}{ at the end|}.>",
    ),
    topic("Why was my card declined?", "Payments",
        "{Most often|Usually|In most cases} {the bank|your bank} {asks for a confirmation|wants you to confirm} {in its app|in the banking app}. / ({Try again|Please try once more} {after that|then}, {or use|or choose} another {card|way to pay}.) / [{Nothing|No money} {was charged|has been taken}.] / <{If it keeps happening|Should it fail again}, {call your bank|your bank can help}.>",
    ).with("get_payment"),
];

/// What is said before and after an answer by a flow that is told to.
pub(super) const OPENINGS: &str = "{Hi!|Hello!|Thanks for asking.|Good question.||||Sure.}";
pub(super) const CLOSINGS: &str =
    "{Anything else?|Hope that helps!|Let me know if there is more.|||||Have a nice day!}";
