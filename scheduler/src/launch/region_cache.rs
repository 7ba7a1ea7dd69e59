//! Regions that were planned before: the same file at the same place gives the same region.
//!
//! A region is found by the hash of everything that it was made from, the rscale that made it included, and it carries
//! a hash of itself: whatever happens to the cache, a wrong region is never used. Without a cache everything works,
//! slower.
//!
//! Regions have megabytes, and most of what belongs to them is never looked at by this process: it stays in the file,
//! from which the program maps it.

use crate::cache;
use rscale_protocol::arena::BUILD_ID;
use rscale_replay::atomic;
use std::cell::OnceCell;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::SystemTime;

/// Regions that are kept; the oldest goes first.
const MOST_FILES: usize = 64;
/// Larger regions are not kept.
const MOST_BYTES: u64 = 64 << 20;
const HASH: usize = 32;
const WORD: usize = 8;
/// Bytes that are copied at once.
const PIECE: usize = 256 << 10;

/// The offset of each cloned instruction, and its address in the file.
type Clones = Vec<(u32, u32)>;

/// What is kept of a plan.
#[derive(Debug, Default)]
pub struct Stored {
    /// The bytes of the region.
    pub region: Bytes,
    /// Of each cloned instruction, once somebody has asked.
    clones: OnceCell<Clones>,
    /// Where these are in the cache, and their hash.
    stored_clones: Option<(Bytes, blake3::Hash)>,
    /// What of the code runs unseen, in words.
    pub gaps: Vec<String>,
    /// The names that the user wants left out, and how many functions here have each.
    pub excluded: Vec<(String, u32)>,
}

/// Bytes in memory, or in a file of the cache.
#[derive(Debug)]
pub enum Bytes {
    /// All of them.
    Memory(Vec<u8>),
    /// A part of an open file, whatever becomes of its name.
    File {
        /// The file.
        file: Rc<File>,
        /// Where they begin.
        start: u64,
        /// How many there are.
        length: u64,
    },
}

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Memory(Vec::new())
    }
}

impl Bytes {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> u64 {
        match self {
            Bytes::Memory(bytes) => bytes.len() as u64,
            Bytes::File { length, .. } => *length,
        }
    }

    /// The descriptor of their file, and where they begin in it; none for what is not in a file.
    #[must_use]
    pub fn in_file(&self) -> Option<(RawFd, u64)> {
        match self {
            Bytes::Memory(_) => None,
            Bytes::File { file, start, .. } => Some((file.as_raw_fd(), *start)),
        }
    }

    /// What their hash begins with.
    fn hasher(&self) -> io::Result<blake3::Hasher> {
        let mut hasher = blake3::Hasher::new();
        self.for_each_piece(|piece| {
            hasher.update(piece);
            Ok(())
        })?;
        Ok(hasher)
    }

    /// Writes them into a file.
    ///
    /// # Errors
    /// Where reading or writing fails.
    pub fn copy_to(&self, target: &File, offset: u64) -> io::Result<()> {
        let mut done = 0;
        self.for_each_piece(|piece| {
            target.write_all_at(piece, offset + done)?;
            done += piece.len() as u64;
            Ok(())
        })
    }

    /// All of them, in memory.
    fn to_vec(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(self.len() as usize);
        self.for_each_piece(|piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    fn for_each_piece(&self, mut action: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let (file, start, length) = match self {
            Bytes::Memory(bytes) => return action(bytes),
            Bytes::File { file, start, length } => (file, *start, *length),
        };
        let mut buffer = vec![0; PIECE.min(length as usize)];
        for done in (0..length).step_by(PIECE) {
            let piece = &mut buffer[..PIECE.min((length - done) as usize)];
            file.read_exact_at(piece, start + done)?;
            action(piece)?;
        }
        Ok(())
    }
}

impl Stored {
    /// What was planned just now.
    #[must_use]
    pub fn new(region: Vec<u8>, clones: Clones, gaps: Vec<String>, excluded: Vec<(String, u32)>) -> Stored {
        let clones = OnceCell::from(clones);
        Stored { region: Bytes::Memory(region), clones, stored_clones: None, gaps, excluded }
    }

    /// The offset of each cloned instruction, and its address in the file; nothing where that can not be read any more.
    #[must_use]
    pub fn clones(&self) -> &[(u32, u32)] {
        self.clones.get_or_init(|| {
            let read = self
                .stored_clones
                .as_ref()
                .and_then(|(bytes, hash)| bytes.to_vec().ok().filter(|bytes| blake3::hash(bytes) == *hash));
            read.map(|bytes| decode_clones(&bytes)).unwrap_or_default()
        })
    }
}

/// Where the region of these parts would be. None if there is no cache.
pub fn path_of(parts: &[&[u8]]) -> Option<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(&BUILD_ID.to_le_bytes());
    // Another build may find or hook other accesses, whatever its version says: its regions are its own.
    let build = fs::metadata("/proc/self/exe").ok()?;
    for number in [build.size() as i64, build.mtime(), build.mtime_nsec()] {
        hasher.update(&number.to_le_bytes());
    }
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    Some(cache::directory("regions")?.join(hasher.finalize().to_hex().as_str()))
}

/// Reads a region. None if it is not there, or not whole.
pub fn load(path: &Path) -> Option<Stored> {
    decode(&Rc::new(File::open(path).ok()?))
}

/// Keeps a region. That it can not be kept is no error.
pub fn save(path: &Path, stored: &Stored) {
    if stored.region.len() > MOST_BYTES {
        return;
    }
    let Some(directory) = path.parent() else { return };
    let Ok(bytes) = encode(stored) else { return };
    if fs::create_dir_all(directory).is_ok() {
        make_room(directory);
        let _ = atomic::write(path, &bytes);
    }
}

/// Removes the oldest files where there are too many.
fn make_room(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    let aged = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut files: Vec<(SystemTime, PathBuf)> = entries.flatten().filter_map(aged).collect();
    files.sort();
    let surplus = (files.len() + 1).saturating_sub(MOST_FILES);
    for (_, path) in files.iter().take(surplus) {
        let _ = fs::remove_file(path); // another rscale may have removed it
    }
}

/// The region, which can be mapped from the file, gaps, names, clones; what they are; a hash of all but the clones.
fn encode(stored: &Stored) -> io::Result<Vec<u8>> {
    let mut clones = Vec::with_capacity(stored.clones().len() * WORD);
    for (offset, address) in stored.clones() {
        clones.extend_from_slice(&offset.to_le_bytes());
        clones.extend_from_slice(&address.to_le_bytes());
    }
    let mut bytes = stored.region.to_vec()?;
    let gaps = stored.gaps.join("\n");
    let excluded: Vec<String> = stored.excluded.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let excluded = excluded.join("\n");
    let tail = Tail {
        lengths: [bytes.len(), gaps.len(), excluded.len(), clones.len()].map(|length| length as u64),
        clones: blake3::hash(&clones),
    };
    bytes.extend_from_slice(gaps.as_bytes());
    bytes.extend_from_slice(excluded.as_bytes());
    let hash = blake3::Hasher::new().update(&bytes).update(&tail.bytes()).finalize();
    bytes.extend_from_slice(&clones);
    bytes.extend_from_slice(&tail.bytes());
    bytes.extend_from_slice(hash.as_bytes());
    Ok(bytes)
}

/// What is behind the parts of a file.
struct Tail {
    /// Of the region, the gaps, the names, the clones.
    lengths: [u64; 4],
    /// Few ask for them, and look at their hash then.
    clones: blake3::Hash,
}

impl Tail {
    const LENGTH: usize = 4 * WORD + HASH;

    fn bytes(&self) -> [u8; Tail::LENGTH] {
        let mut bytes = [0; Tail::LENGTH];
        let words = bytes.chunks_exact_mut(WORD);
        words.zip(self.lengths).for_each(|(place, length)| place.copy_from_slice(&length.to_le_bytes()));
        bytes[4 * WORD..].copy_from_slice(self.clones.as_bytes());
        bytes
    }

    fn of(bytes: &[u8; Tail::LENGTH]) -> Option<Tail> {
        let length = |index: usize| Some(u64::from_le_bytes(bytes[index * WORD..][..WORD].try_into().ok()?));
        let clones = blake3::Hash::from_slice(&bytes[4 * WORD..]).ok()?;
        Some(Tail { lengths: [length(0)?, length(1)?, length(2)?, length(3)?], clones })
    }
}

/// What is in a file, if that is whole.
fn decode(file: &Rc<File>) -> Option<Stored> {
    let end = file.metadata().ok()?.len().checked_sub((Tail::LENGTH + HASH) as u64)?;
    let (mut tail, mut hash) = ([0; Tail::LENGTH], [0; HASH]);
    file.read_exact_at(&mut tail, end).ok()?;
    file.read_exact_at(&mut hash, end + Tail::LENGTH as u64).ok()?;
    let Tail { lengths, clones } = Tail::of(&tail)?;
    let mut next = 0u64;
    let mut part = |length: u64| {
        let start = next;
        next = next.checked_add(length).filter(|next| *next <= end)?;
        Some(Bytes::File { file: file.clone(), start, length })
    };
    let [region, gaps, excluded, stored_clones] =
        [part(lengths[0])?, part(lengths[1])?, part(lengths[2])?, part(lengths[3])?];
    let hashed = Bytes::File { file: file.clone(), start: 0, length: end.checked_sub(lengths[3])? };
    if hashed.hasher().ok()?.update(&tail).finalize() != hash {
        return None;
    }
    let text = |part: &Bytes| String::from_utf8(part.to_vec().ok()?).ok();
    let counted = |line: &str| line.split_once(' ').and_then(|(count, name)| Some((name.into(), count.parse().ok()?)));
    Some(Stored {
        region,
        clones: OnceCell::new(),
        stored_clones: Some((stored_clones, clones)),
        gaps: text(&gaps)?.lines().map(String::from).collect(),
        excluded: text(&excluded)?.lines().map(counted).collect::<Option<_>>()?,
    })
}

fn decode_clones(bytes: &[u8]) -> Clones {
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(WORD).map(|pair| (word(&pair[..4]), word(&pair[4..]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Stored {
        let gaps = vec!["f (why)".into(), "g".into()];
        let excluded = vec![("log it".into(), 2), ("debug.c".into(), 1)];
        let region = (0..PIECE + 5000).map(|byte| byte as u8).collect();
        Stored::new(region, vec![(1, 2), (3, 4)], gaps, excluded)
    }

    /// All that is stored, and the region as a file gets it.
    fn contents(stored: &Stored) -> (Vec<u8>, Clones, String) {
        let file = tempfile();
        stored.region.copy_to(&file, 3).expect("it can be written");
        let mut region = vec![0; stored.region.len() as usize];
        file.read_exact_at(&mut region, 3).expect("it was written");
        (region, stored.clones().to_vec(), format!("{:?} {:?}", stored.gaps, stored.excluded))
    }

    fn tempfile() -> File {
        File::from(nix::sys::memfd::memfd_create(c"test", nix::sys::memfd::MFdFlags::MFD_CLOEXEC).expect("memory"))
    }

    #[test]
    fn what_was_saved_is_loaded_unless_it_is_damaged() {
        let directory = std::env::temp_dir().join(format!("rscale-regions-{}", std::process::id()));
        let path = directory.join("region");
        assert!(load(&path).is_none());
        save(&path, &sample());
        let loaded = load(&path).expect("it was saved");
        assert_eq!(contents(&loaded), contents(&sample()));
        let bytes = fs::read(&path).expect("it was saved");
        let damaged = |at: usize| {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).expect("it can be damaged");
            load(&path)
        };
        let clones = bytes.len() - HASH - Tail::LENGTH - 2 * WORD;
        let others = [100, clones - 1, bytes.len() - HASH - 1, bytes.len() - HASH - Tail::LENGTH, bytes.len() - 1];
        assert!(others.into_iter().all(|at| damaged(at).is_none()));
        assert!(damaged(clones).is_some_and(|stored| stored.clones().is_empty()), "wrong clones are not shown");
        fs::write(&path, &bytes[..10]).expect("it can be cut");
        assert!(load(&path).is_none());
        fs::remove_dir_all(&directory).expect("it was made above");
    }

    #[test]
    fn only_so_many_are_kept() {
        let directory = std::env::temp_dir().join(format!("rscale-many-regions-{}", std::process::id()));
        for number in 0..MOST_FILES + 5 {
            save(&directory.join(number.to_string()), &Stored::default());
        }
        assert_eq!(fs::read_dir(&directory).expect("it is there").count(), MOST_FILES);
        assert!(load(&directory.join((MOST_FILES + 4).to_string())).is_some(), "the newest stays");
        fs::remove_dir_all(&directory).expect("it was made above");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let file = Rc::new(tempfile());
            file.write_all_at(&bytes, 0).expect("it can be written");
            let _ = decode(&file);
        }
    }
}
