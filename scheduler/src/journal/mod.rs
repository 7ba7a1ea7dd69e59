//! The journal: a search that survives its process (`--journal`, `rscale resume`).
//!
//! Records are only ever appended, each with a checksum, and are on the disk before the search goes on. Findings are
//! written at once, the state of the search every few seconds. Whatever ends the process in between costs the work since
//! the last state, and no finding. Where the end of the file is torn, the last record is dropped; any other damage is
//! refused: a search that goes on from a wrong state would be called complete without being so.

mod record;

pub use record::{Found, Record, Search, State, VERSION};

use crate::exit::Failure;
use crate::explore::Visited;
use record::{CHECKSUM, Numbered, line};
use rscale_replay::atomic;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Between two states, at least.
const INTERVAL: Duration = Duration::from_secs(1);
/// A state that takes long to write down, because it is large or the disk is slow, is written down less often: the search
/// goes on for this many times as long in between, so that it loses a fortieth of its time at most.
const REST: u32 = 40;
/// But not for longer than this: that is what a search can lose.
const LONGEST: Duration = Duration::from_secs(5);
/// Runs between two looks at the clock.
const BETWEEN_LOOKS: u64 = 64;
/// A journal that is longer than this, and than so many states, is written anew with the last one alone.
const LONG: u64 = 16 << 20;
const MANY_STATES: u64 = 8;

/// A journal that is written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Records, and the bytes that they take: what lies behind is torn.
    records: u64,
    length: u64,
    last: Instant,
    /// How long the search goes on before the next state.
    interval: Duration,
    runs: u64,
    /// What could not be written yet, and why.
    waiting: Vec<Record>,
    trouble: Option<String>,
    /// What every state needs before it.
    search: Search,
    findings: Vec<Found>,
}

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

impl Journal {
    /// Begins a journal. A file that is there already is not touched.
    ///
    /// # Errors
    /// Where it can not be written.
    pub fn create(path: &Path, search: Search) -> Result<Journal, Failure> {
        let cannot = |cause: io::Error| match cause.kind() {
            io::ErrorKind::AlreadyExists => Failure::Usage(format!(
                "--journal {0}: there is such a file; go on with it by `rscale resume {0}`, or name another one",
                path.display()
            )),
            _ => Failure::CannotRun(format!("can not write the journal {}: {cause}", path.display())),
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path).map_err(cannot)?;
        let mut journal = Journal::of(path, file, (0, 0), search.clone());
        journal.append(&Record::Search(search)).map_err(cannot)?;
        Ok(journal)
    }

    /// Reads a journal, to go on with it.
    ///
    /// # Errors
    /// Where it can not be read or written, or is damaged.
    pub fn open(path: &Path) -> Result<(Journal, Story), Failure> {
        let cannot =
            |cause: io::Error| Failure::CannotRun(format!("can not open the journal {}: {cause}", path.display()));
        let bytes = std::fs::read(path).map_err(cannot)?;
        let damaged = |what: String| Failure::CannotRun(format!("the journal {} is damaged: {what}", path.display()));
        let file = OpenOptions::new().write(true).open(path).map_err(cannot)?;
        let (story, records, length) = read(&bytes).map_err(damaged)?;
        let mut journal = Journal::of(path, file, (records, length), story.search.clone());
        journal.findings.clone_from(&story.findings);
        Ok((journal, story))
    }

    fn of(path: &Path, file: File, (records, length): (u64, u64), search: Search) -> Journal {
        Journal {
            // The process changes its directory when it goes on with a search.
            path: std::path::absolute(path).unwrap_or_else(|_| path.into()),
            file,
            records,
            length,
            last: Instant::now(),
            interval: INTERVAL,
            runs: 0,
            waiting: Vec::new(),
            trouble: None,
            search,
            findings: Vec::new(),
        }
    }

    /// A run has been added to the search. Whether its state is to be written down.
    pub fn is_due(&mut self) -> bool {
        self.runs += 1;
        self.runs.is_multiple_of(BETWEEN_LOOKS) && self.is_time()
    }

    /// Whether the state of the search is to be written down, by the clock alone.
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    /// The search had to wait since then for a state to be written down.
    pub fn waited(&mut self, since: Instant) {
        self.last = Instant::now();
        self.interval = (since.elapsed() * REST).clamp(INTERVAL, LONGEST);
    }

    /// Writes a record down, for good. Where that fails, the search goes on, and it is tried again with the next one.
    pub fn write(&mut self, mut record: Record) {
        self.last = Instant::now();
        match &mut record {
            Record::Finding(found) => self.findings.push(found.clone()),
            Record::State(state) => self.replace_waiting(state),
            Record::Search(_) => {}
        }
        self.waiting.push(record);
        let waiting = std::mem::take(&mut self.waiting);
        let mut left = waiting.into_iter();
        self.trouble = None;
        for record in left.by_ref() {
            if let Err(cause) = self.append(&record) {
                let path = self.path.display();
                self.trouble = Some(format!("the journal {path} could not be written to its end: {cause}"));
                self.waiting.push(record);
                break;
            }
        }
        self.waiting.extend(left);
    }

    /// A state takes the place of one that could not be written.
    fn replace_waiting(&mut self, state: &mut State) {
        for earlier in self.waiting.extract_if(.., |earlier| matches!(earlier, Record::State(_))) {
            if let Record::State(earlier) = earlier {
                state.visited = joined(earlier.visited, state.visited.take());
            }
        }
    }

    fn append(&mut self, record: &Record) -> io::Result<()> {
        let line = line(self.records, record);
        let is_long = self.length > LONG && self.length / line.len() as u64 > MANY_STATES;
        if is_long && matches!(record, Record::State(_)) {
            return self.write_anew(record);
        }
        // What an attempt that failed left behind is written over.
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.set_len(self.length)?;
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.records += 1;
        self.length += line.len() as u64;
        Ok(())
    }

    /// Puts a file with nothing but what is needed in the place of this one.
    fn write_anew(&mut self, state: &Record) -> io::Result<()> {
        let mut state = state.clone();
        if let Record::State(state) = &mut state
            && state.visited.is_some()
        {
            let earlier = std::fs::read(&self.path)?;
            let earlier = earlier.get(..self.length as usize).unwrap_or(&earlier);
            let (story, ..) = read(earlier).map_err(io::Error::other)?;
            state.visited = joined(story.visited, state.visited.take());
        }
        let findings = self.findings.iter().cloned().map(Record::Finding);
        let records = std::iter::once(Record::Search(self.search.clone())).chain(findings).chain([state]);
        let lines: Vec<String> = (0..).zip(records).map(|(number, record)| line(number, &record)).collect();
        let text = lines.concat();
        atomic::write(&self.path, text.as_bytes())?;
        self.file = OpenOptions::new().write(true).open(&self.path)?;
        self.records = lines.len() as u64;
        self.length = text.len() as u64;
        Ok(())
    }

    /// What went wrong last, and was not made up for.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }
}

/// The states that were visited before, and then these.
fn joined(earlier: Option<Visited>, visited: Option<Visited>) -> Option<Visited> {
    Visited::all(earlier.into_iter().chain(visited).collect())
}

/// Reads all records: what they say, how many they are, and their bytes.
fn read(bytes: &[u8]) -> Result<(Story, u64, u64), String> {
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

/// Whether there is a record in the middle of what should be a torn one: then not the end is missing, but an end of line.
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
    use super::*;
    use proptest::prelude::*;

    fn search() -> Search {
        let text = |text: &str| text.to_owned();
        Search {
            version: VERSION,
            rscale: text("0.1.0"),
            arguments: vec![text("./a.out")],
            directory: text("/"),
            program_hash: text("00"),
        }
    }

    fn found(thread: u16) -> Record {
        Record::Finding(Found { schedule: vec![thread], locations: String::new() })
    }

    fn lines(records: Vec<Record>) -> Vec<u8> {
        (0..).zip(records).map(|(number, record)| line(number, &record)).collect::<String>().into_bytes()
    }

    #[test]
    fn what_is_written_is_read() {
        let directory = std::env::temp_dir().join(format!("rscale-journal-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let path = directory.join("journal");
        let mut journal = Journal::create(&path, search()).expect("a journal");
        journal.write(found(1));
        assert!(Journal::create(&path, search()).is_err(), "it is not written over");
        let (mut journal, story) = Journal::open(&path).expect("a journal");
        assert_eq!((story.search, story.findings.len()), (search(), 1));
        journal.write(found(2));
        let (_, story) = Journal::open(&path).expect("a journal");
        assert_eq!((story.findings.len(), story.notes.len()), (2, 0));
        assert!(journal.trouble().is_none());
        std::fs::remove_dir_all(&directory).expect("removed");
    }

    #[test]
    fn what_takes_long_is_done_less_often() {
        let path = std::env::temp_dir().join(format!("rscale-slow-journal-{}", std::process::id()));
        let mut journal = Journal::create(&path, search()).expect("a journal");
        let ago = |time: Duration| Instant::now().checked_sub(time).expect("the machine runs for longer");
        for (took, between) in [(0, 1), (50, 2), (100, 4), (5000, 5)] {
            journal.waited(ago(Duration::from_millis(took)));
            journal.last = ago(Duration::from_millis(between * 1000 - 200));
            assert!(!journal.is_time(), "a state took {took} ms");
            journal.last = ago(Duration::from_millis(between * 1000 + 1000));
            assert!(journal.is_time(), "a state took {took} ms");
        }
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn a_long_journal_is_written_anew() {
        let path = std::env::temp_dir().join(format!("rscale-long-journal-{}", std::process::id()));
        let mut journal = Journal::create(&path, search()).expect("a journal");
        journal.write(found(1));
        journal.length = LONG + 1;
        journal.file.set_len(LONG + 1).expect("room");
        let state = sample_state();
        journal.write(Record::State(Box::new(state.clone())));
        journal.write(found(2));
        assert_eq!(journal.trouble(), None);
        let (_, story) = Journal::open(&path).expect("a journal");
        assert_eq!((story.search, story.findings.len(), story.state.as_deref()), (search(), 2, Some(&state)));
        assert!(std::fs::metadata(&path).expect("there").len() < LONG);
        std::fs::remove_file(&path).expect("removed");
    }

    /// Each state says which states were visited since the one before.
    #[test]
    fn visited_states_add_up() {
        let path = std::env::temp_dir().join(format!("rscale-states-journal-{}", std::process::id()));
        let mut journal = Journal::create(&path, search()).expect("a journal");
        let visit = |journal: &mut Journal, anew, states: &[u128]| {
            let visited = Some(Visited::of(anew, states));
            journal.write(Record::State(Box::new(State { visited, ..sample_state() })));
            let (_, story) = Journal::open(&path).expect("a journal");
            story.visited.and_then(|visited| visited.hashes()).expect("states")
        };
        assert_eq!(visit(&mut journal, false, &[1, 2]), [1, 2]);
        assert_eq!(visit(&mut journal, false, &[3]), [1, 2, 3]);
        let writable = std::mem::replace(&mut journal.file, File::open(&path).expect("readable"));
        assert_eq!(visit(&mut journal, false, &[4]), [1, 2, 3], "it can not be written");
        journal.file = writable;
        assert_eq!(visit(&mut journal, false, &[5]), [1, 2, 3, 4, 5]);
        journal
            .write_anew(&Record::State(Box::new(State { visited: Some(Visited::of(false, &[6])), ..sample_state() })))
            .expect("written");
        assert_eq!(visit(&mut journal, false, &[7]), [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(visit(&mut journal, true, &[8]), [8], "the search has begun anew");
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn what_could_not_be_written_is_written_later() {
        let path = std::env::temp_dir().join(format!("rscale-full-journal-{}", std::process::id()));
        let mut journal = Journal::create(&path, search()).expect("a journal");
        let writable = std::mem::replace(&mut journal.file, File::open(&path).expect("readable"));
        journal.write(found(1));
        journal.write(Record::State(Box::new(sample_state())));
        assert!(journal.trouble().is_some_and(|trouble| trouble.contains("could not be written")));
        journal.file = writable;
        journal.write(found(2));
        assert_eq!(journal.trouble(), None);
        let (_, story) = Journal::open(&path).expect("a journal");
        assert!(story.findings.len() == 2 && story.state.is_some() && story.notes.is_empty());
        std::fs::remove_file(&path).expect("removed");
    }

    fn sample_state() -> State {
        let search = r#"{"Reduction":{"schedule":[0,1],"nodes":[],"sections_vary":false,"order":{"stream":{"state":0},"shuffled":false},
            "counts":{"runs":1,"executions":1,"blocked":0,"discarded":0,"states":1,"transitions":1,"max_depth":1,
            "out_of_steps":0,"race_checks":0,"dependence_checks":0}}}"#;
        State {
            search: serde_json::from_str(search).expect("a search"),
            locations: String::new(),
            observed: String::new(),
            threads: vec![(1, 0, 0)],
            outcomes: vec![(0, b"x".to_vec(), 1)],
            elapsed: 0.5,
            visited: None,
        }
    }

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

    /// Whatever happens to one byte: the last record may be dropped, with a note; everything else is refused with its place.
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
