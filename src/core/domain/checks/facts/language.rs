//! In which language an answer is written, told by words that every text of the language has.

use super::super::words::split_words;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Letters in known words that it takes to tell a language; fewer may be a name or a quotation.
const LETTERS_MIN: usize = 20;

/// A language that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Italian,
    Portuguese,
    Dutch,
    Swedish,
    Danish,
    Polish,
    Czech,
    Turkish,
    Russian,
    Ukrainian,
    Greek,
    Arabic,
    Hebrew,
    Hindi,
    Thai,
    Korean,
    Japanese,
    Chinese,
}

use Language::{
    Arabic, Chinese, Czech, Danish, Dutch, English, French, German, Greek, Hebrew, Hindi, Italian, Japanese,
    Korean, Polish, Portuguese, Russian, Spanish, Swedish, Thai, Turkish, Ukrainian,
};

/// ISO 639-1 code, name, and the words by which it is known. Languages with a script of their own are known by that.
const LANGUAGES: [(Language, &str, &str, &str); 22] = [
    (
        English,
        "en",
        "English",
        "the and of to in is you that it for on are with as your this be have from or can will by at not we \
         was if please an our do but they which what there their has when more about would please should any \
         all also so may been these how its than into here most who no just use only other need after he she \
         if were each every many much very some both between before because during while such where whom whose why \
         how us me him her them my his could might must shall yes thank thanks again always never often until \
         within without under over through am it's you're we're don't can't isn't i'll we'll \
         day days time year people way first last new good long little own right same able two three next few something \
         anything nothing everything someone",
    ),
    (
        German,
        "de",
        "German",
        "der die das und ist nicht ein eine einen einem einer sie ihr ihre ihren ihnen wir uns unser unsere \
         mit für auf von zu zum zur den dem des im am bei nach aus auch oder aber wenn werden wird wurde \
         können kann haben hat sind sein es ich dass wie was noch nur über unter bis durch vor mehr sich \
         bitte innerhalb hier gerne leider diese dieser dieses um als so keine kein man mir \
         gibt dann dort jede jeder jedes müssen muss soll sollte dürfen darf damit sowie zwischen gegen ohne \
         weil denn doch also etwa immer wieder schon sehr viele alle allen ab in",
    ),
    (
        French,
        "fr",
        "French",
        "le la les des et est un une vous nous que qui dans pour sur avec ne pas plus votre vos notre nos ce \
         cette ces du au aux par sont ou où mais si être avoir avez peut pouvez il elle ils elles en de je \
         se sa son ses leur leurs tout tous cela comme aussi très bien faire sans sous entre jours c'est \
         il faut doit peuvent chez lors après avant toujours jamais encore voici aucun aucune chaque depuis \
         quand donc ni et aux",
    ),
    (
        Spanish,
        "es",
        "Spanish",
        "el la los las de del y que en un una es por para con no se su sus lo al más pero como este esta \
         estos estas está están puede pueden usted ustedes nuestro nuestra nos le les muy también si o ya \
         cuando donde sobre hasta desde entre sin tiene tienen hay ser son fue gracias días \
         ella ellos nosotros puedes quiere debe hacer después antes siempre nunca todo toda todos todas otro otra \
         porque así",
    ),
    (
        Italian,
        "it",
        "Italian",
        "il lo la i gli le di del della dei delle e che in un una uno è per con non si su suo sua sono come \
         più ma anche nel nella questo questa questi può possono lei voi noi nostro nostra vostro al alla \
         dal dalla se ha hanno essere quando dove sul tra fra senza giorni grazie",
    ),
    (
        Portuguese,
        "pt",
        "Portuguese",
        "o a os as de do da dos das e que em um uma é por para com não se seu sua seus suas no na nos nas ao \
         mais mas como este esta isso pode podem você vocês nosso nossa muito também ou já quando onde \
         sobre até desde entre sem tem têm há ser são foi obrigado dias",
    ),
    (
        Dutch,
        "nl",
        "Dutch",
        "de het een en van is dat niet in op te voor met zijn u uw je jouw wij we ons onze ze die dit deze \
         aan als om ook maar of kunt kan kunnen wordt worden bij naar uit nog wel heeft hebben door over \
         binnen dagen er tot zich geen meer zal moet alstublieft",
    ),
    (
        Swedish,
        "sv",
        "Swedish",
        "och att det är en ett som på för med av till inte den de du din ditt vi vår våra kan ska har om \
         eller men från vid så när här dig oss också efter inom dagar alla utan mer vara blir",
    ),
    (
        Danish,
        "da",
        "Danish",
        "og at det er en et som på for med af til ikke den de du din dit vi vores kan skal har om eller men \
         fra ved så når her dig os også efter inden dage alle uden mere være bliver hvis",
    ),
    (
        Polish,
        "pl",
        "Polish",
        "i w na z do nie jest się to że dla od o po jak ale lub oraz przez są może można który która które \
         państwo nasz nasze pan pani czy tego tej być proszę dni ciągu także jeśli gdy tylko",
    ),
    (
        Czech,
        "cs",
        "Czech",
        "a v na z do ne je se to že pro od o po jak ale nebo jsou může můžete který která které náš naše vám \
         vás být prosím dnů také pokud když jen při podle jsme bude",
    ),
    (
        Turkish,
        "tr",
        "Turkish",
        "ve bir bu için ile da de ne çok daha gibi olarak olan veya ama siz sizin biz bizim var yok \
         lütfen gün içinde kadar sonra değil en her şu o mi ise",
    ),
    (Russian, "ru", "Russian", ""),
    (Ukrainian, "uk", "Ukrainian", ""),
    (Greek, "el", "Greek", ""),
    (Arabic, "ar", "Arabic", ""),
    (Hebrew, "he", "Hebrew", ""),
    (Hindi, "hi", "Hindi", ""),
    (Thai, "th", "Thai", ""),
    (Korean, "ko", "Korean", ""),
    (Japanese, "ja", "Japanese", ""),
    (Chinese, "zh", "Chinese", ""),
];

/// The languages that have each word.
static KNOWN: LazyLock<HashMap<&'static str, Vec<Language>>> = LazyLock::new(|| {
    let mut known: HashMap<&'static str, Vec<Language>> = HashMap::new();
    for (language, _, _, words) in LANGUAGES {
        for word in words.split_whitespace() {
            let languages = known.entry(word).or_default();
            if !languages.contains(&language) {
                languages.push(language);
            }
        }
    }
    known
});

impl Language {
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        LANGUAGES.iter().find(|row| row.0 == self).map_or("", |row| row.2)
    }

    /// The language of an ISO 639-1 code.
    #[must_use]
    pub(crate) fn from_code(code: &str) -> Option<Self> {
        LANGUAGES.iter().find(|row| row.1.eq_ignore_ascii_case(code)).map(|row| row.0)
    }

    /// The codes of all languages that can be told.
    #[must_use]
    pub(crate) fn codes() -> String {
        LANGUAGES.map(|row| row.1).join(", ")
    }
}

/// The language of a script that only it uses.
const fn by_script(letter: char) -> Option<Language> {
    Some(match letter {
        'і' | 'ї' | 'є' | 'ґ' | 'І' | 'Ї' | 'Є' | 'Ґ' => Ukrainian,
        '\u{400}'..='\u{4ff}' => Russian,
        '\u{370}'..='\u{3ff}' => Greek,
        '\u{600}'..='\u{6ff}' => Arabic,
        '\u{590}'..='\u{5ff}' => Hebrew,
        '\u{900}'..='\u{97f}' => Hindi,
        '\u{e00}'..='\u{e7f}' => Thai,
        '\u{ac00}'..='\u{d7af}' => Korean,
        '\u{3040}'..='\u{30ff}' => Japanese,
        '\u{4e00}'..='\u{9fff}' => Chinese,
        _ => return None,
    })
}

/// The language of a text; `None` where too little of it is known, or two languages are as likely.
#[must_use]
pub(crate) fn detect(text: &str) -> Option<Language> {
    let mut letters: HashMap<Language, usize> = HashMap::new();
    for language in text.chars().filter_map(by_script) {
        *letters.entry(language).or_default() += 1;
    }
    fold_scripts(&mut letters);
    for word in split_words(text) {
        for language in KNOWN.get(word.as_str()).into_iter().flatten() {
            *letters.entry(*language).or_default() += word.chars().count();
        }
    }
    let most = |but: Option<Language>| {
        let others = letters.iter().filter(|(language, _)| Some(**language) != but);
        others.max_by_key(|(language, count)| (**count, std::cmp::Reverse(**language)))
    };
    let (first, count) = most(None)?;
    let second = most(Some(*first)).map_or(0, |(_, count)| *count);
    // A language shares words with its neighbours, which have a fifth fewer of them in every text that is not a list of names.
    (*count >= LETTERS_MIN && *count * 4 >= second * 5).then_some(*first)
}

/// Scripts that two languages share: some letters belong to one of them alone.
fn fold_scripts(letters: &mut HashMap<Language, usize>) {
    for (narrow, wide) in [(Ukrainian, Russian), (Japanese, Chinese)] {
        let (few, many) = (letters.get(&narrow).copied(), letters.get(&wide).copied().unwrap_or(0));
        if let Some(few) = few.filter(|few| few * 50 >= many) {
            letters.remove(&wide);
            letters.insert(narrow, few + many);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_their_everyday_words() {
        let cases = [
            ("You can return the item within thirty days, and we will refund your money.", English),
            (
                "Sie können den Artikel innerhalb von dreißig Tagen zurückgeben, und wir erstatten das Geld.",
                German,
            ),
            ("Vous pouvez retourner cet article dans les trente jours et nous vous remboursons.", French),
            ("Puede devolver el artículo en los treinta días siguientes y le devolvemos el dinero.", Spanish),
            (
                "È possibile restituire il prodotto entro trenta giorni e noi rimborsiamo la somma con la carta.",
                Italian,
            ),
            (
                "Você pode devolver o artigo em até trinta dias, e nós devolvemos o valor para a sua conta.",
                Portuguese,
            ),
            (
                "U kunt het artikel binnen dertig dagen terugsturen en wij betalen het bedrag aan u terug.",
                Dutch,
            ),
            ("Вы можете вернуть товар в течение тридцати дней.", Russian),
            ("Ви можете повернути цей товар протягом тридцяти днів.", Ukrainian),
            ("商品は三十日以内であれば返品することができます。", Japanese),
            ("您可以在三十天之内退回商品，我们会把钱退还给您的账户。", Chinese),
        ];
        for (text, language) in cases {
            assert_eq!(detect(text), Some(language), "{text}");
        }
    }

    #[test]
    fn too_little_text_has_no_language() {
        for text in ["", "Yes.", "Amélie Dupont, Paris", "42", "the and of to"] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    #[test]
    fn every_language_has_a_code_of_its_own() {
        for (language, code, _, _) in LANGUAGES {
            assert_eq!(Language::from_code(code), Some(language));
        }
        assert_eq!(Language::from_code("tlh"), None);
    }
}
