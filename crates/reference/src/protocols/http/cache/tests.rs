use super::*;
use reqwest::header::{ETAG, HeaderMap, HeaderValue};

fn entry(body: &[u8]) -> Entry {
    let mut headers = HeaderMap::new();
    headers.insert(ETAG, HeaderValue::from_static("\"a\""));
    let freshness = Freshness::of(&headers, 1000).unwrap();
    let content_type = Some("text/plain; charset=gbk".to_owned());
    Entry { freshness, answer: Answer { content_type, body: body.to_vec() } }
}

fn cache(max_bytes: u64) -> (tempfile::TempDir, Cache) {
    let folder = tempfile::tempdir().unwrap();
    let settings = CacheSettings { folder: folder.path().join("a/http"), max_bytes };
    (folder, Cache::new(settings))
}

fn files(cache: &Cache) -> Vec<PathBuf> {
    let all = fs::read_dir(&cache.0.folder).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| !path.ends_with(IGNORE.0)).collect()
}

#[test]
fn ref_22_what_is_kept_is_found_again() {
    let (_folder, cache) = cache(1 << 20);
    assert_eq!(cache.find("k", 100), None);
    cache.put("k", &entry(b"one\ntwo\0"));
    assert_eq!(cache.find("k", 100), Some(entry(b"one\ntwo\0")));
    assert_eq!(cache.find("k", 7), None);
    cache.put("k", &entry(b""));
    assert_eq!(cache.find("k", 0), Some(entry(b"")));
    assert_eq!(files(&cache).len(), 1);
}

#[test]
fn ref_22_the_cache_keeps_itself_out_of_version_control() {
    let (_folder, cache) = cache(1 << 20);
    let ignore = cache.0.folder.join(".gitignore");
    assert_eq!(cache.find("k", 100), None);
    assert!(!cache.0.folder.exists(), "looking makes no folder");
    cache.put("k", &entry(b"one"));
    assert_eq!(fs::read(&ignore).unwrap(), b"*\n");
    fs::write(&ignore, "mine").unwrap();
    cache.put("l", &entry(b"two"));
    assert_eq!(fs::read(&ignore).unwrap(), b"mine");
    assert!(cache.find("l", 100).is_some());
}

#[test]
fn ref_22_a_damaged_entry_is_none() {
    let (_folder, cache) = cache(1 << 20);
    cache.put("k", &entry(b"some text"));
    let path = cache.path("k");
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(cache.find("k", 100), None, "cut at {cut}");
    }
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        fs::write(&path, &damaged).unwrap();
        let found = cache.find("k", 100);
        assert!(found.is_none_or(|found| found.answer.body == b"some text"), "damaged at {at}");
    }
    fs::write(&path, &whole).unwrap();
    fs::rename(&path, cache.path("other")).unwrap();
    assert_eq!(cache.find("other", 100), None);
    fs::create_dir(&path).unwrap();
    assert_eq!(cache.find("k", 100), None);
    cache.put("k", &entry(b"x"));
    assert!(files(&cache).iter().all(|path| !has_extension(path, UNFINISHED)));
}

#[test]
fn ref_22_the_oldest_entries_go_first() {
    let (_folder, cache) = cache(4000);
    for (age, key) in ["a", "b", "c"].iter().enumerate() {
        cache.put(key, &entry(&[b'x'; 900]));
        let file = fs::File::options().write(true).open(cache.path(key)).unwrap();
        let age = Duration::from_secs(1000 - 10 * age as u64);
        file.set_modified(SystemTime::now() - age).unwrap();
    }
    cache.put("d", &entry(&[b'x'; 900]));
    let kept: Vec<_> = ["a", "b", "c", "d"].map(|key| cache.find(key, 1000).is_some()).into();
    assert_eq!(kept, [false, true, true, true]);
    cache.put("e", &entry(&[b'x'; 1001]));
    assert_eq!(cache.find("e", 2000), None);
}

#[test]
fn ref_22_what_was_left_unfinished_is_swept_away() {
    let (_folder, cache) = cache(4000);
    cache.put("a", &entry(b"x"));
    let left = cache.0.folder.join("a-1-1.part");
    fs::write(&left, "x").unwrap();
    cache.put("a", &entry(b"x"));
    assert!(left.exists());
    let file = fs::File::options().write(true).open(&left).unwrap();
    file.set_modified(SystemTime::now() - 2 * FORGOTTEN).unwrap();
    cache.put("a", &entry(b"x"));
    assert!(!left.exists());
}

#[test]
fn ref_22_keys_and_entries_hold_no_address() {
    let url = Url::parse("https://h.example/p?token=topsecret").unwrap();
    let key = Cache::key(&url, "*/*");
    assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    assert_ne!(key, Cache::key(&url, "application/json"));
    let (_folder, cache) = cache(1 << 20);
    cache.put(&key, &entry(b"body"));
    let bytes = fs::read(cache.path(&key)).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert!(!text.contains("topsecret") && !text.contains("h.example"), "{text}");
}
