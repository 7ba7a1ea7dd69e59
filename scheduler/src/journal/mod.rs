//! The journal: a search that survives its process (`--journal`, `rscale resume`).
//!
//! Records are only ever appended, each with a checksum. Findings are on the disk before the search goes on. The state
//! of the search is written every few seconds, and is on the disk before anything else is written: the search does not
//! wait for that. Whatever ends the process in between costs the work since the last state, and no finding. Where the
//! end of the file is torn, the last record is dropped; any other damage is refused: a search that goes on from a wrong
//! state would be called complete without being so.

mod pace;
mod record;
mod story;

pub use record::{Found, Record, Search, State, VERSION};
pub use story::Story;

use crate::exit::Failure;
use crate::explore::Visited;
use pace::Pace;
use record::line;
use rscale_replay::atomic;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};
use std::time::Instant;
use story::read;

/// A journal that is longer than this, and than so many states, is written anew with the last one alone; and again when
/// it is twice as long as it was then, for what was visited stays in it.
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
    /// How long it was when it was written anew.
    anew: u64,
    /// What was written last, until it is on the disk.
    settling: Option<Settling>,
    pace: Pace,
    /// What could not be written yet, and why.
    waiting: Vec<Record>,
    trouble: Option<String>,
    /// What every state needs before it.
    search: Search,
    findings: Vec<Found>,
}

/// A record that is on its way to the disk.
#[derive(Debug)]
struct Settling {
    record: Record,
    /// Records before it, and their bytes.
    before: (u64, u64),
    done: JoinHandle<io::Result<()>>,
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
        journal.file.sync_data().map_err(cannot)?;
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
            anew: 0,
            settling: None,
            pace: Pace::new(),
            waiting: Vec::new(),
            trouble: None,
            search,
            findings: Vec::new(),
        }
    }

    /// A run has been added to the search. Whether its state is to be written down.
    pub fn is_due(&mut self) -> bool {
        self.pace.is_due()
    }

    /// Whether the state of the search is to be written down, by the clock alone.
    #[must_use]
    pub fn is_time(&self) -> bool {
        self.pace.is_time()
    }

    /// The search had to wait since then for a state to be written down.
    pub fn waited(&mut self, since: Instant) {
        self.pace.waited(since);
    }

    /// Writes a record down, for good. Where that fails, the search goes on, and it is tried again with the next one.
    pub fn write(&mut self, mut record: Record) {
        self.pace.restart();
        self.settle();
        self.trouble = None;
        match &mut record {
            Record::Finding(found) => self.findings.push(found.clone()),
            Record::State(state) => self.replace_waiting(state),
            Record::Search(_) => {}
        }
        self.waiting.push(record);
        let waiting = std::mem::take(&mut self.waiting);
        let mut left = waiting.into_iter();
        for record in left.by_ref() {
            if let Err((record, cause)) = self.put(record) {
                self.failed(record, &cause);
                break;
            }
        }
        self.waiting.extend(left);
    }

    /// A record could not be written.
    fn failed(&mut self, record: Record, cause: &io::Error) {
        self.trouble = Some(format!("the journal {} could not be written to its end: {cause}", self.path.display()));
        self.waiting.push(record);
    }

    /// Writes a record behind the others. The search does not wait until a state is on the disk.
    fn put(&mut self, record: Record) -> Result<(), (Record, io::Error)> {
        self.settle();
        let before = (self.records, self.length);
        match self.append(&record) {
            Err(cause) => return Err((record, cause)),
            Ok(Written::ForGood) => return Ok(()),
            Ok(Written::ToTheFile) => {}
        }
        if matches!(record, Record::State(_))
            && let Ok(file) = self.file.try_clone()
            && let Ok(done) = thread::Builder::new().name("journal".into()).spawn(move || file.sync_data())
        {
            self.settling = Some(Settling { record, before, done });
            return Ok(());
        }
        self.file.sync_data().map_err(|cause| {
            (self.records, self.length) = before;
            (record, cause)
        })
    }

    /// Waits until what was written last is on the disk.
    fn settle(&mut self) {
        let Some(Settling { record, before, done }) = self.settling.take() else { return };
        let result = done.join().unwrap_or_else(|_| Err(io::Error::other("nobody knows why")));
        if let Err(cause) = result {
            (self.records, self.length) = before;
            self.failed(record, &cause);
        }
    }

    /// A state takes the place of one that could not be written.
    fn replace_waiting(&mut self, state: &mut State) {
        for earlier in self.waiting.extract_if(.., |earlier| matches!(earlier, Record::State(_))) {
            if let Record::State(earlier) = earlier {
                state.visited = joined(earlier.visited, state.visited.take());
            }
        }
    }

    fn append(&mut self, record: &Record) -> io::Result<Written> {
        let line = line(self.records, record);
        let is_long = self.length > LONG.max(2 * self.anew) && self.length / line.len() as u64 > MANY_STATES;
        if is_long && matches!(record, Record::State(_)) {
            return self.write_anew(record).map(|()| Written::ForGood);
        }
        // What an attempt that failed left behind is written over.
        self.file.seek(SeekFrom::Start(self.length))?;
        self.file.set_len(self.length)?;
        self.file.write_all(line.as_bytes())?;
        self.records += 1;
        self.length += line.len() as u64;
        Ok(Written::ToTheFile)
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
        self.anew = self.length;
        Ok(())
    }

    /// What went wrong last, and was not made up for.
    #[must_use]
    pub fn trouble(&mut self) -> Option<&str> {
        self.settle();
        self.trouble.as_deref()
    }
}

/// Where a record is.
enum Written {
    /// On the disk.
    ForGood,
    /// In the file: if the machine stops now, it may be lost.
    ToTheFile,
}

/// The states that were visited before, and then these.
fn joined(earlier: Option<Visited>, visited: Option<Visited>) -> Option<Visited> {
    Visited::all(earlier.into_iter().chain(visited).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn search() -> Search {
        let text = |text: &str| text.to_owned();
        Search {
            version: VERSION,
            rscale: text("0.1.0"),
            arguments: vec![text("./a.out")],
            directory: text("/"),
            program_hash: text("00"),
        }
    }

    pub(super) fn found(thread: u16) -> Record {
        Record::Finding(Found { schedule: vec![thread], locations: String::new() })
    }

    pub(super) fn lines(records: Vec<Record>) -> Vec<u8> {
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
        // What stays in it is not written again each time.
        let records = journal.records;
        (journal.length, journal.anew) = (LONG + 1, LONG);
        journal.write(Record::State(Box::new(state)));
        assert_eq!((journal.records, journal.trouble()), (records + 1, None));
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

    pub(super) fn sample_state() -> State {
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
}
