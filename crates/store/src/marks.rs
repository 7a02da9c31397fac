//! The marks of a file: what was acknowledged of it last, so that a loss is noticed (GU-12).
//!
//! Decision: SQLite reads its log up to the first frame that is damaged, and takes what stands behind
//! it for never written; a log of lines that was cut off ends like any other. So what was acknowledged
//! stands a second time, in a file of its own beside it: for each context, each run of a flow, and the
//! end of the audit log one slot, at its place, with the version, the digest of a chain and a checksum.
//! A slot is written after the commit is durable and before it is acknowledged: no mark is ever ahead of the file, so a process that is killed leaves no false alarm. It is not synced
//! each time, which would double the price of a commit: after a loss of power the marks may be some
//! seconds old, and vouch for what was acknowledged by then.

use ring::digest::{Context, SHA256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The length of the header and of each slot, in bytes.
const SLOT: usize = 256;
const SLOT_BYTES: u64 = SLOT as u64;
const MAGIC: [u8; 8] = *b"CTXMARK1";
/// Where the parts of a slot begin: version, kind and lengths, chain, checksum, names.
const KIND: usize = 8;
const CHAIN: usize = 16;
const CHECK: usize = 48;
const NAMES: usize = 64;
/// The longest part of an owner, and of an id, that is kept.
const NAME: usize = 96;
/// How often, and after which wait, damaged marks are read again.
const TRIES: u32 = 3;
const NAP: Duration = Duration::from_millis(2);
const KEPT: u8 = 1;
const REMOVED: u8 = 2;

/// The digest of a chain.
pub type Digest = [u8; 32];

/// The number that a file of marks and its marked file share.
pub type Identity = [u8; 16];

/// Returns the digest of bytes.
pub(crate) fn digest_of(parts: &[&[u8]]) -> Digest {
    let mut digest = Context::new(&SHA256);
    parts.iter().for_each(|part| digest.update(part));
    let mut bytes = Digest::default();
    bytes.copy_from_slice(digest.finish().as_ref());
    bytes
}

/// What was acknowledged of a context, a run or a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Its state.
    Kept {
        /// Its owner.
        owner: String,
        /// Its id.
        context: String,
        /// Its version: the number of its last entry.
        version: u64,
        /// The digest of its chain; zeros where there is none.
        chain: Digest,
    },
    /// Its end.
    Removed,
}

/// Returns the place of the marks of a file.
pub fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push("-marks");
    name.into()
}

/// The contents of a file of marks.
#[derive(Debug, Default)]
pub struct Book {
    /// The file that it belongs to; `None`: the header is damaged.
    pub identity: Option<Identity>,
    /// By place.
    pub marks: BTreeMap<i64, Mark>,
    /// The places whose slots are damaged.
    pub damaged: Vec<i64>,
}

impl Book {
    /// Reads the marks of a file; `None` when there are none. A slot that is being written may be seen in
    /// part, and is whole a moment later.
    ///
    /// # Errors
    /// What the system reports.
    pub fn read(file: &Path) -> io::Result<Option<Self>> {
        for _ in 0..TRIES {
            match Self::read_once(file)? {
                Some(book) if book.identity.is_none() || !book.damaged.is_empty() => {
                    std::thread::sleep(NAP);
                }
                book => return Ok(book),
            }
        }
        Self::read_once(file)
    }

    fn read_once(file: &Path) -> io::Result<Option<Self>> {
        let bytes = match std::fs::read(beside(file)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut slots = bytes.chunks(SLOT);
        let mut book = Self { identity: slots.next().and_then(identity), ..Self::default() };
        for (place, slot) in (1_i64..).zip(slots) {
            if slot.iter().all(|byte| *byte == 0) {
                continue;
            }
            match decode(place, slot) {
                Some(mark) => drop(book.marks.insert(place, mark)),
                None => book.damaged.push(place),
            }
        }
        Ok(Some(book))
    }
}

/// The marks of a file that is written.
#[derive(Debug)]
pub struct Marks {
    file: File,
    /// Those of the transaction under way, and those that could not be written yet.
    pending: Mutex<BTreeMap<i64, Mark>>,
    /// Those that are of committed transactions.
    unwritten: Mutex<BTreeMap<i64, Mark>>,
    is_synced: AtomicBool,
}

impl Marks {
    /// Opens the marks of a file.
    ///
    /// # Errors
    /// What the system reports.
    pub fn open(file: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(beside(file))?;
        let is_synced = AtomicBool::new(true);
        Ok(Self { file, pending: Mutex::default(), unwritten: Mutex::default(), is_synced })
    }

    /// Makes the marks of a file anew, for its owner alone, whole or not at all.
    ///
    /// # Errors
    /// What the system reports.
    pub fn make(
        file: &Path,
        identity: &Identity,
        marks: impl Iterator<Item = (i64, Mark)>,
    ) -> io::Result<()> {
        let target = beside(file);
        let mut aside = target.clone().into_os_string();
        aside.push(".new");
        let aside = PathBuf::from(aside);
        drop(std::fs::remove_file(&aside));
        let made = crate::home::private_file().write(true).create_new(true).open(&aside)?;
        let mut header = [0; SLOT];
        put(&mut header, 0, &MAGIC);
        put(&mut header, CHAIN, identity);
        let check = digest_of(&[&MAGIC, identity]);
        put(&mut header, CHECK, check.get(..16).unwrap_or_default());
        write_at(&made, &header, 0)?;
        for (place, mark) in marks {
            write_at(&made, &encode(place, &mark), offset(place))?;
        }
        made.sync_all()?;
        drop(made);
        std::fs::rename(aside, target)
    }

    /// Notes what the transaction under way does.
    pub fn note(&self, place: i64, mark: Mark) {
        lock(&self.pending).insert(place, mark);
    }

    /// Forgets what the transaction under way did.
    pub fn undone(&self) {
        lock(&self.pending).clear();
    }

    /// Writes what was noted, whose transaction is durable. What can't be written is tried again
    /// with the next.
    ///
    /// # Errors
    /// What the system reports.
    pub fn committed(&self) -> io::Result<()> {
        let mut unwritten = lock(&self.unwritten);
        unwritten.append(&mut lock(&self.pending));
        while let Some(first) = unwritten.first_entry() {
            let place = *first.key();
            write_at(&self.file, &encode(place, first.get()), offset(place))?;
            first.remove();
            self.is_synced.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Writes that something is to be removed, before it is: what is there unmarked is not missed.
    ///
    /// # Errors
    /// What the system reports.
    pub fn removes(&self, place: i64) -> io::Result<()> {
        write_at(&self.file, &encode(place, &Mark::Removed), offset(place))
    }

    /// Syncs what was written.
    pub fn sync(&self) {
        if !self.is_synced.swap(true, Ordering::Relaxed) && self.file.sync_data().is_err() {
            self.is_synced.store(false, Ordering::Relaxed);
        }
    }
}

impl Drop for Marks {
    fn drop(&mut self) {
        self.sync();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn offset(place: i64) -> u64 {
    place.unsigned_abs() * SLOT_BYTES
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if written == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
        offset += written as u64;
    }
    Ok(())
}

fn put(slot: &mut [u8; SLOT], at: usize, bytes: &[u8]) {
    let places = slot.iter_mut().skip(at).zip(bytes);
    places.for_each(|(place, byte)| *place = *byte);
}

fn take<const N: usize>(slot: &[u8], at: usize) -> Option<[u8; N]> {
    slot.get(at..at.checked_add(N)?)?.try_into().ok()
}

/// Returns the checksum of a slot, which holds at this place alone.
fn check(place: i64, slot: &[u8]) -> Option<[u8; 16]> {
    let digest = digest_of(&[&place.to_le_bytes(), slot.get(..CHECK)?, slot.get(NAMES..)?]);
    take(&digest, 0)
}

fn identity(header: &[u8]) -> Option<Identity> {
    let found: Identity = take(header, CHAIN)?;
    let digest = digest_of(&[&MAGIC, &found]);
    let is_whole =
        take::<8>(header, 0)? == MAGIC && take::<16>(header, CHECK)? == take(&digest, 0)?;
    is_whole.then_some(found)
}

fn encode(place: i64, mark: &Mark) -> [u8; SLOT] {
    let mut slot = [0; SLOT];
    match mark {
        Mark::Removed => put(&mut slot, KIND, &[REMOVED]),
        Mark::Kept { owner, context, version, chain } => {
            let (owner, context) = (cut(owner), cut(context));
            let length = |name: &str| u8::try_from(name.len()).unwrap_or(u8::MAX);
            put(&mut slot, 0, &version.to_le_bytes());
            put(&mut slot, KIND, &[KEPT, length(owner), length(context)]);
            put(&mut slot, CHAIN, chain);
            put(&mut slot, NAMES, owner.as_bytes());
            put(&mut slot, NAMES + owner.len(), context.as_bytes());
        }
    }
    let check = check(place, &slot).unwrap_or_default();
    put(&mut slot, CHECK, &check);
    slot
}

fn decode(place: i64, slot: &[u8]) -> Option<Mark> {
    if take::<16>(slot, CHECK)? != check(place, slot)? {
        return None;
    }
    let [kind, owner, context] = take(slot, KIND)?;
    if kind == REMOVED {
        return Some(Mark::Removed);
    }
    let (owner, context) =
        slot.get(NAMES..)?.get(..usize::from(owner) + usize::from(context))?.split_at(owner.into());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(Mark::Kept {
        owner: text(owner),
        context: text(context),
        version: u64::from_le_bytes(take(slot, 0)?),
        chain: take(slot, CHAIN)?,
    })
}

fn cut(name: &str) -> &str {
    name.get(..name.floor_char_boundary(NAME)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(context: &str, version: u64) -> Mark {
        Mark::Kept { owner: "ann".to_owned(), context: context.to_owned(), version, chain: [7; 32] }
    }

    #[test]
    fn gu_12_marks_of_committed_transactions_are_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("contexts.db");
        assert!(Book::read(&file).unwrap().is_none());
        Marks::make(&file, &[3; 16], [(2, kept("ctx_2", 9))].into_iter()).unwrap();
        let marks = Marks::open(&file).unwrap();
        marks.note(1, kept(&"ä".repeat(99), 1));
        marks.undone();
        marks.note(4, kept("ctx_4", 1));
        marks.note(2, Mark::Removed);
        marks.committed().unwrap();
        marks.note(4, kept("ctx_4", 2));
        let book = Book::read(&file).unwrap().unwrap();
        assert_eq!((book.identity, book.damaged.len()), (Some([3; 16]), 0));
        assert_eq!(
            book.marks.into_iter().collect::<Vec<_>>(),
            [(2, Mark::Removed), (4, kept("ctx_4", 1)),]
        );
    }

    #[test]
    fn gu_12_damaged_slot_is_not_believed_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("contexts.db");
        let long = "ä".repeat(99);
        Marks::make(&file, &[3; 16], [(1, kept(&long, 9))].into_iter()).unwrap();
        let whole = std::fs::read(beside(&file)).unwrap();
        let book = Book::read(&file).unwrap().unwrap();
        assert_eq!(book.marks.get(&1), Some(&kept(&"ä".repeat(48), 9)));
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            std::fs::write(beside(&file), &bytes).unwrap();
            let book = Book::read_once(&file).unwrap().unwrap();
            let is_header = at < SLOT;
            assert_eq!(book.damaged.len(), usize::from(!is_header), "{at}");
        }
        for length in 0..whole.len() {
            std::fs::write(beside(&file), &whole[..length]).unwrap();
            let book = Book::read_once(&file).unwrap().unwrap();
            let is_told = book.identity.is_none() || book.damaged == [1];
            assert!(is_told || (NAMES..=SLOT).contains(&length), "{length}");
        }
    }
}
