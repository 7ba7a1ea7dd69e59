//! Regions that were planned before: the same file at the same place gives the same region.
//!
//! A region is found by the hash of everything that it was made from, the rscale that made it included, and it carries a
//! hash of itself: whatever happens to the cache, a wrong region is never used. Without a cache everything works, slower.

use crate::cache;
use rscale_protocol::arena::BUILD_ID;
use rscale_replay::atomic;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Regions that are kept; the oldest goes first.
const MOST_FILES: usize = 64;
/// Larger regions are not kept.
const MOST_BYTES: usize = 64 << 20;
const HASH: usize = 32;
const WORD: usize = 8;

/// What is kept of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    /// The bytes of the region.
    pub region: Vec<u8>,
    /// The offset of each cloned instruction, and its address in the file.
    pub clones: Vec<(u32, u32)>,
    /// What of the code runs unseen, in words.
    pub gaps: Vec<String>,
    /// The names that the user wants left out, and how many functions here have each.
    pub excluded: Vec<(String, u32)>,
}

/// Where the region of these parts would be. None if there is no cache.
pub fn path_of(parts: &[&[u8]]) -> Option<PathBuf> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(&BUILD_ID.to_le_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    Some(cache::directory("regions")?.join(hasher.finalize().to_hex().as_str()))
}

/// Reads a region. None if it is not there, or not whole.
pub fn load(path: &Path) -> Option<Stored> {
    let bytes = fs::read(path).ok()?;
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
    (blake3::hash(body).as_bytes() == hash).then(|| decode(body)).flatten()
}

/// Keeps a region. That it can not be kept is no error.
pub fn save(path: &Path, stored: &Stored) {
    if stored.region.len() > MOST_BYTES {
        return;
    }
    let Some(directory) = path.parent() else { return };
    let mut bytes = encode(stored);
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
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

/// Four parts, each behind its length.
fn encode(stored: &Stored) -> Vec<u8> {
    let clones: Vec<u8> = stored
        .clones
        .iter()
        .flat_map(|(offset, address)| [offset.to_le_bytes(), address.to_le_bytes()].concat())
        .collect();
    let gaps = stored.gaps.join("\n");
    let excluded: Vec<String> = stored.excluded.iter().map(|(name, count)| format!("{count} {name}")).collect();
    let excluded = excluded.join("\n");
    let lengths = stored.region.len() + clones.len() + gaps.len() + excluded.len();
    let mut bytes = Vec::with_capacity(lengths + 4 * WORD + HASH);
    for part in [&stored.region[..], &clones, gaps.as_bytes(), excluded.as_bytes()] {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

fn decode(bytes: &[u8]) -> Option<Stored> {
    let (region, rest) = part(bytes)?;
    let (clones, rest) = part(rest)?;
    let (gaps, rest) = part(rest)?;
    let (excluded, _) = part(rest)?;
    let counted = |line: &str| line.split_once(' ').and_then(|(count, name)| Some((name.into(), count.parse().ok()?)));
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    Some(Stored {
        region: region.to_vec(),
        clones: clones.chunks_exact(WORD).map(|pair| (word(&pair[..4]), word(&pair[4..]))).collect(),
        gaps: std::str::from_utf8(gaps).ok()?.lines().map(String::from).collect(),
        excluded: std::str::from_utf8(excluded).ok()?.lines().map(counted).collect::<Option<_>>()?,
    })
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<WORD>()?;
    rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Stored {
        Stored {
            region: vec![1; 5000],
            clones: vec![(1, 2), (3, 4)],
            gaps: vec!["f (why)".into(), "g".into()],
            excluded: vec![("log it".into(), 2), ("debug.c".into(), 1)],
        }
    }

    #[test]
    fn what_was_saved_is_loaded_unless_it_is_damaged() {
        let directory = std::env::temp_dir().join(format!("rscale-regions-{}", std::process::id()));
        let path = directory.join("region");
        assert_eq!(load(&path), None);
        save(&path, &sample());
        assert_eq!(load(&path), Some(sample()));
        let mut bytes = fs::read(&path).expect("it was saved");
        bytes[100] ^= 1;
        fs::write(&path, &bytes).expect("it can be damaged");
        assert_eq!(load(&path), None);
        fs::write(&path, &bytes[..10]).expect("it can be cut");
        assert_eq!(load(&path), None);
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
            let _ = decode(&bytes);
        }
    }
}
