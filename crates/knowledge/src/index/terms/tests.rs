use super::*;
use proptest::prelude::*;

fn terms(text: &str) -> Vec<String> {
    let mut stream = Stream::new(text);
    let mut found = Vec::new();
    while stream.advance() {
        found.push(stream.token().text.clone());
    }
    found
}

#[test]
fn kn_11_words_meet_in_all_their_forms() {
    for group in [
        ["price", "Prices", "pricing", "PRICED"].as_slice(),
        &["refund", "refunds", "refunded", "refundable", "refunding"],
        &["policy", "policies", "policy's"],
        &["integrate", "integration", "integrates", "integrated"],
        &["install", "installing", "installs", "installed"],
        &["delete", "deletion", "deletes"],
        &["approve", "approval"],
        &["cancel", "cancellation", "cancelled", "canceling"],
        &["ｆｕｌｌ", "full", "FULL"],
        &["ship", "shipping", "shipment", "ships"],
    ] {
        let first = terms(group[0]);
        assert!(group.iter().all(|word| terms(word) == first), "{group:?}: {first:?}");
    }
}

fn in_language(text: &str, language: Language) -> Vec<String> {
    let mut stream = Stream::in_language(text, Some(language));
    let mut found = Vec::new();
    stream.process(&mut |token| found.push(token.text.clone()));
    found
}

#[test]
fn ma_7_words_of_a_language_meet_in_all_their_forms() {
    let groups: [(Language, &[&str]); 16] = [
        (Language::German, &["Funktion", "Funktionen", "funktioniert", "funktionieren"]),
        (Language::German, &["verwenden", "verwendet", "Verwendung", "verwendete"]),
        (Language::German, &["Passwort", "Passworts", "PASSWORT"]),
        (Language::German, &["Installation", "installieren", "installiert", "Installationen"]),
        (Language::German, &["Schlüssel", "Schlüssels", "schlussel"]),
        (Language::French, &["utilisation", "utiliser", "utilisateur", "utilisateurs", "utilisé"]),
        (Language::French, &["application", "applications", "appliquer", "appliquée"]),
        (Language::French, &["journal", "journaux"]),
        (Language::Spanish, &["configuración", "configurar", "configuraciones", "configurado"]),
        (Language::Spanish, &["declarar", "declaramos", "declaraciones", "declararlo"]),
        (Language::Portuguese, &["função", "funções"]),
        (Language::Portuguese, &["aplicação", "aplicar", "aplicações", "aplicado"]),
        (Language::Italian, &["installazione", "installare", "installato", "installazioni"]),
        (Language::Dutch, &["bestand", "bestanden"]),
        (Language::Russian, &["файл", "файла", "файлов", "файлами"]),
        (Language::Russian, &["настройка", "настройки", "настройку", "настройками"]),
    ];
    for (language, group) in groups {
        let first = in_language(group[0], language);
        let met = group.iter().all(|word| in_language(word, language) == first);
        assert!(met, "{language:?} {group:?}: {first:?}");
    }
}

#[test]
fn ma_7_names_with_digits_and_short_words_keep_their_letters() {
    assert_eq!(
        in_language("v2s utf8er dies ab", Language::German),
        ["v2s", "utf8er", "dies", "ab"]
    );
}

#[test]
fn ma_7_language_of_a_page_is_named_or_shown_or_that_of_its_pack() {
    let german = "Die Datei wird gelesen, wenn der Dienst startet und sie nicht leer ist.";
    let english = "The file is read when the service starts, and it is not to be empty.";
    let of = |text: &str| Language::of_page(text, None);
    assert_eq!(of(german), Some(Language::German));
    assert_eq!(
        of("El archivo se lee cuando el servicio no está en uso, y esto es lo normal."),
        Some(Language::Spanish)
    );
    assert_eq!(
        of("Le fichier est lu quand le service n'est pas dans la liste pour les tests."),
        Some(Language::French)
    );
    assert_eq!(
        of("O arquivo é lido quando o serviço não está em uso, e isto é o normal para você."),
        Some(Language::Portuguese)
    );
    assert_eq!(
        of("Il file è letto quando il servizio non è in uso, e questo è normale per gli utenti."),
        Some(Language::Italian)
    );
    assert_eq!(
        of("Het bestand wordt gelezen als de dienst niet aan is, en dit is ook bij ons zo."),
        Some(Language::Dutch)
    );
    assert_eq!(
        of("Файл читается, когда служба не запущена, и это не ошибка, если он есть на диске."),
        Some(Language::Russian)
    );
    assert_eq!(of(english), None);
    assert_eq!(of("文件在服务启动时读取。"), None);
    assert_eq!(Language::of_page("Preise", Some("de-AT")), Some(Language::German));
    assert_eq!(Language::of_page(english, Some("de")), None);
    let named = format!("---\ntitle: Preise\nlang: \"de\"\n---\n\n{english}");
    assert_eq!(of(&named), Some(Language::German));
    assert_eq!(of(&format!("---\nlanguage: en-GB\n---\n\n{german}")), None);
    assert_eq!(of(&format!("{german}\n{english}\n")), None, "two languages alike show none");
}

#[test]
fn kn_11_case_is_folded_as_unicode_says() {
    for group in [
        ["ΟΔΟΣ", "οδος", "οδοσ", "Οδός"].as_slice(),
        &["STRASSE", "straße", "Straẞe", "ſtrasse"],
        &["İSTANBUL", "istanbul", "İstanbul", "Istanbul", "i\u{307}stanbul"],
        &["ﬁle", "FILE", "file"],
        &["Ǆ", "ǆ", "ǅ"],
        &["\u{212a}elvin", "kelvin", "KELVIN"],
        &["µm", "ΜM", "μm"],
    ] {
        let without_accent = |word: &str| terms(&word.replace('ό', "ο"));
        let first = terms(group[0]);
        assert!(group.iter().all(|word| without_accent(word) == first), "{group:?}: {first:?}");
    }
    assert_ne!(terms("ısı"), terms("isi"));
}

#[test]
fn kn_11_different_words_stay_different() {
    let words = ["news", "new", "status", "state", "bus", "need", "station", "policy", "police"];
    let mut all: Vec<Vec<String>> = words.iter().map(|word| terms(word)).collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), words.len() - 1, "news and new meet, nothing else: {all:?}");
}

#[test]
fn kn_11_scripts_without_spaces_become_characters_and_pairs() {
    assert_eq!(terms("离线队列"), ["离", "离线", "线", "线队", "队", "队列", "列"]);
    assert_eq!(terms("支持API吗"), ["支", "支持", "持", "api", "吗"]);
    assert_eq!(terms("カタ ひ"), ["カ", "カタ", "タ", "ひ"]);
    assert_eq!(terms("가격 표"), ["가", "가격", "격", "표"]);
}

#[test]
fn kn_11_possessives_and_signs_are_not_words() {
    assert_eq!(terms("Acme's o200k_base, v0.7.2!"), ["acm", "o200k", "bas", "v0", "7", "2"]);
    assert_eq!(terms("Müller’s Größe"), ["müller", "grösse"]);
}

#[test]
fn kn_11_endless_words_are_left_out() {
    assert_eq!(terms(&format!("a {} b", "x".repeat(500))), ["a", "b"]);
}

proptest! {
    #[test]
    fn ma_7_any_word_is_stemmed_in_any_language(text in any::<String>()) {
        for language in Language::ALL {
            let mut stream = Stream::in_language(&text, Some(language));
            while stream.advance() {
                prop_assert!(!stream.token().text.is_empty());
            }
        }
    }

    #[test]
    fn kn_11_terms_stand_in_text(text in any::<String>()) {
        let mut stream = Stream::new(&text);
        let whole = comparable(&text).into_owned();
        let mut steps = 0;
        while stream.advance() {
            let token = stream.token();
            prop_assert!(whole.get(token.offset_from..token.offset_to).is_some());
            prop_assert!(!token.text.is_empty());
            steps += 1;
            prop_assert!(steps <= 2 * text.len() + 2);
        }
    }
}
