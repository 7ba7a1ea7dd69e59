//! What those who share a state have to know of what was planned ahead there.
//!
//! A section plans from states that several workers may come to share. Each of them has to go on with it where another
//! one has left races to it, so what is known of it stands with the shared states: the section itself where it begins,
//! and in each state behind that whose races were left to it. What an execution has of a section follows from its path.

use super::section::{Member, Members, Section};
use crate::reduce::footprint::Footprint;
use crate::reduce::wire::{Reader, Wire, Writer};
use rscale_protocol::{ThreadId, ThreadSet};
use std::sync::Arc;

/// What was planned ahead from a state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ahead {
    /// The section that begins there.
    pub section: Option<Arc<Section>>,
    /// The threads with whose next events there are races that were left to a section.
    pub relied_on: ThreadSet,
    /// Whether sequences were dropped there ([`crate::reduce::crowd`]).
    pub is_crowded: bool,
}

impl Ahead {
    /// Whether there is nothing to know.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Ahead::default()
    }
}

#[cfg(test)]
impl Ahead {
    /// A section of what these threads do, if there are some.
    pub fn planned(threads: Vec<(u16, u32, Vec<Footprint>)>, relied_on: ThreadSet, is_crowded: bool) -> Ahead {
        let members = |(thread, first, members): (u16, u32, Vec<Footprint>)| Members {
            thread: ThreadId(thread),
            first,
            members: (1..).zip(members).map(|(pc, footprint)| Member::doing(footprint, pc)).collect(),
        };
        let threads: Vec<Members> = threads.into_iter().map(members).collect();
        let section = (!threads.is_empty()).then(|| Arc::new(Section::of(threads)));
        Ahead { section, relied_on, is_crowded }
    }
}

impl Wire for Ahead {
    fn write(&self, to: &mut Writer) {
        self.section.write(to);
        self.relied_on.write(to);
        self.is_crowded.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Ahead> {
        let (section, relied_on) = (Option::read(from)?, ThreadSet::read(from)?);
        Some(Ahead { section, relied_on, is_crowded: bool::read(from)? })
    }
}

impl Wire for Arc<Section> {
    fn write(&self, to: &mut Writer) {
        let members =
            |(thread, first, members): (ThreadId, u32, &[Member])| Members { thread, first, members: members.to_vec() };
        self.threads().map(members).collect::<Vec<_>>().write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Arc<Section>> {
        Some(Arc::new(Section::of(Vec::read(from)?)))
    }
}

impl Wire for Members {
    fn write(&self, to: &mut Writer) {
        (self.thread.index(), u64::from(self.first)).write(to);
        self.members.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Members> {
        let (thread, first) = <(usize, u64)>::read(from)?;
        let (thread, first) = (ThreadId::from_index(thread)?, first.try_into().ok()?);
        Some(Members { thread, first, members: Vec::read(from)? })
    }
}

impl Wire for Member {
    fn write(&self, to: &mut Writer) {
        self.footprint.write(to);
        self.pc.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Member> {
        Some(Member::doing(Footprint::read(from)?, u64::read(from)?))
    }
}
