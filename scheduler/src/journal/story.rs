//! What a journal says, and whether it can be believed.

use super::Found;
use super::record::{CHECKSUM, Numbered, Record, Search, State, VERSION};
use crate::explore::Visited;

/// What a journal says.
#[derive(Debug)]
pub struct Story {
    /// What is searched.
    pub search: Search,
    /// Where it stands; None if it has hardly begun.
    pub state: Option<Box<State>>,
    /// The states that were visited, if that is kept.
    pub visited: Option<Visited>,
    /// What was found.
    pub findings: Vec<Found>,
    /// What the user should know about the file.
    pub notes: Vec<String>,
}

/// Reads all records: what they say, how many they are, and their bytes.
pub(super) fn read(bytes: &[u8]) -> Result<(Story, u64, u64), String> {
    let mut records = Vec::new();
    let (mut start, mut notes) = (0, Vec::new());
    while start < bytes.len() {
        let end = bytes[start..].iter().position(|&byte| byte == b'\n').map(|length| start + length);
        let record = end.and_then(|end| Numbered::from_line(&bytes[start..end]));
        let is_last = end.is_none_or(|end| end + 1 == bytes.len());
        match (record, end) {
            (Some(record), Some(end)) if record.number == records.len() as u64 => {
                records.push(record.record);
                start = end + 1;
            }
            (Some(record), _) => {
                return Err(format!("record {} follows record {}, at byte {start}", record.number, records.len()));
            }
            (None, _) if is_last && !records.is_empty() && !hides_record(&bytes[start..]) => {
                notes.push("the last record of the journal is torn and was dropped".to_owned());
                break;
            }
            (None, _) => return Err(format!("record {} makes no sense, at byte {start}", records.len())),
        }
    }
    let count = records.len() as u64;
    Ok((story(records, notes)?, count, start as u64))
}

/// Whether there is a record in the middle of what should be a torn one: then not the end is missing, but an end of
/// line.
fn hides_record(bytes: &[u8]) -> bool {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let is_begin =
        |place: &usize| line[*place..].get(CHECKSUM) == Some(&b' ') && line[*place..].get(CHECKSUM + 1) == Some(&b'{');
    (1..line.len()).filter(is_begin).any(|place| Numbered::from_line(&line[place..]).is_some())
}

fn story(records: Vec<Record>, notes: Vec<String>) -> Result<Story, String> {
    let mut records = records.into_iter();
    let Some(Record::Search(search)) = records.next() else { return Err("it does not begin like one".into()) };
    if search.version != VERSION {
        return Err(format!(
            "its version is {}, and this rscale ({}) reads {VERSION}",
            search.version,
            env!("CARGO_PKG_VERSION")
        ));
    }
    let mut story = Story { search, state: None, visited: None, findings: Vec::new(), notes };
    let mut visited = Vec::new();
    for record in records {
        match record {
            Record::Search(_) => return Err("it begins twice".into()),
            Record::State(mut state) => {
                visited.extend(state.visited.take());
                story.state = Some(state);
            }
            Record::Finding(found) => story.findings.push(found),
        }
    }
    story.visited = Visited::all(visited);
    Ok(story)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{found, lines, sample_state, search};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_torn_end_is_dropped_wherever_it_is_torn() {
        let whole = lines(vec![Record::Search(search()), found(1), found(2)]);
        let last = whole.len() - lines(vec![found(2)]).len();
        for length in last + 1..whole.len() {
            let (story, records, bytes) = read(&whole[..length]).expect("readable");
            assert_eq!((story.findings.len(), story.notes.len(), records, bytes), (1, 1, 2, last as u64), "{length}");
        }
        assert!(read(&whole[..20]).is_err(), "nothing is left");
    }

    #[test]
    fn other_damage_is_refused_with_its_place() {
        let whole = lines(vec![Record::Search(search()), found(1), found(2)]);
        let first = lines(vec![Record::Search(search())]).len();
        let mut damaged = whole.clone();
        damaged[first + 80] ^= 1;
        assert_eq!(read(&damaged).expect_err("damaged"), format!("record 1 makes no sense, at byte {first}"));
        let second = whole.len() - lines(vec![found(2)]).len();
        let missing = [&whole[..first], &whole[second..]].concat();
        assert_eq!(read(&missing).expect_err("damaged"), format!("record 2 follows record 1, at byte {first}"));
        assert!(read(&lines(vec![found(1)])).is_err(), "no search");
    }

    /// Whatever happens to one byte: the last record may be dropped, with a note; everything else is refused with its
    /// place.
    #[test]
    fn every_byte_matters() {
        let state = Record::State(Box::new(sample_state()));
        let whole = lines(vec![Record::Search(search()), found(1), state, found(2)]);
        let last = whole.len() - lines(vec![found(2)]).len();
        for place in 0..whole.len() {
            for bits in [1u8, 0x20, 0x80, b'\n' ^ b' '] {
                let mut damaged = whole.clone();
                damaged[place] ^= bits;
                match read(&damaged) {
                    Ok((story, records, _)) => {
                        assert!(place >= last, "byte {place} was not missed");
                        assert_eq!((story.findings.len(), story.notes.len(), records), (1, 1, 3), "byte {place}");
                    }
                    Err(refused) => assert!(refused.contains("at byte") || place < 100, "{place}: {refused}"),
                }
            }
            match read(&whole[..place]) {
                Ok((story, records, length)) => {
                    let is_torn = length < place as u64;
                    assert_eq!(story.notes.len(), usize::from(is_torn), "up to byte {place}");
                    assert!(records > 0 && story.findings.len() <= 1);
                }
                Err(_) => assert!(place < lines(vec![Record::Search(search())]).len(), "up to byte {place}"),
            }
        }
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>, place: prop::sample::Index, value: u8) {
            let _ = read(&bytes);
            let mut whole = lines(vec![Record::Search(search()), found(1), found(2)]);
            let place = place.index(whole.len());
            whole[place] = value;
            let _ = read(&whole);
        }
    }
}
