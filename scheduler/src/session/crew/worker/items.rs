//! The runs of an item: its first one, and those that follow.

use super::super::What;
use super::super::budget::Denied;
use super::{Left, Worker};
use crate::exit::Failure;
use crate::explore::{Absorbed, Counts};
use crate::parallel::Report;
use crate::property;
use crate::reduce::Item;
use crate::session::bounds::Stop;
use crate::session::record::Sight;
use rscale_protocol::Ending;

impl Worker<'_> {
    /// Begins an item. Returns why it was left, if it was.
    pub(super) fn explore(&mut self, item: Item) -> Result<Option<Left>, Failure> {
        let sharing = self.search.sharing().ok_or_else(does_not_fit)?;
        let (mut is_taken, is_leaf) = (false, matches!(item, Item::Leaf(_)));
        if let Some(plan) = sharing.first_run(&item) {
            if item.begins_with_run() {
                match self.post.world.budget.take() {
                    Ok(()) => is_taken = true,
                    Err(denied) => return self.deny(denied, Some(item)).map(Some),
                }
            }
            let ran = self.host.run(plan, &mut self.execution);
            if is_taken && (ran.is_err() || self.execution.is_lost()) {
                self.post.world.budget.settle(false);
            }
            ran?;
            if is_taken && self.execution.is_lost() {
                return self.lose_beginning(is_leaf).map(Some);
            }
        }
        let sharing = self.search.sharing().ok_or_else(does_not_fit)?;
        if !sharing.begin(item, &self.execution) {
            return Err(does_not_fit());
        }
        // From here on the search counts this item, and not the one before it any more.
        self.counted = Counts::default();
        if is_taken {
            let goes_on = self.absorb();
            self.post.world.budget.settle(self.search.counts().executions > 0);
            if !goes_on? {
                return Ok(Some(Left::Given));
            }
            if is_leaf {
                self.say_what_began()?;
            }
        }
        Ok(None)
    }

    /// Nothing comes of an item: the process is lost whenever its beginning is tried.
    fn lose_beginning(&mut self, is_leaf: bool) -> Result<Left, Failure> {
        self.done.add_run(None, false);
        self.say_what_is_lost();
        if is_leaf {
            let report = Report::Begun(None);
            self.post.desk.tell(self.post.number, self.post.world.epoch, [report])?;
        }
        Ok(Left::Finished)
    }

    /// Goes on without what lies behind a run. Without the first one there is nothing.
    fn lose_run(&mut self) -> Result<(), Failure> {
        if self.search.sharing().is_some_and(|search| !search.has_begun()) {
            return Err(crate::session::killed_at_once());
        }
        self.search.give_up();
        self.say_what_is_lost();
        Ok(())
    }

    fn say_what_is_lost(&self) {
        let schedule = self.execution.steps.iter().map(|step| step.token()).collect();
        self.send(What::Lost(schedule, self.post.world.locations.clone()));
    }

    fn say_what_began(&mut self) -> Result<(), Failure> {
        let report = Report::Begun(self.search.sharing().and_then(|search| search.begun()));
        self.post.desk.tell(self.post.number, self.post.world.epoch, [report]).map(|_| ())
    }

    /// There is no other run. With a journal, how the item stands is written down before all leave.
    fn deny(&mut self, denied: Denied, first: Option<Item>) -> Result<Left, Failure> {
        if denied == Denied::UsedUp {
            self.send(What::Stopped(Stop::Executions));
            self.post.desk.use_up(self.post.world.epoch);
            if self.post.is_kept && self.post.desk.is_current(self.post.world.epoch) {
                self.post.desk.pause();
                self.wait(first)?;
            }
        }
        Ok(Left::Given)
    }

    /// Makes a run of the item. Returns why the item was left, if it was.
    pub(super) fn pursue(&mut self) -> Result<Option<Left>, Failure> {
        if !self.post.desk.is_current(self.post.world.epoch) {
            return Ok(Some(Left::Given));
        }
        if self.post.desk.is_pausing() {
            return self.wait(None).map(|()| None);
        }
        if let Err(denied) = self.post.world.budget.take() {
            return self.deny(denied, None).map(Some);
        }
        let before = self.search.counts().executions;
        let Some(plan) = self.search.next_schedule() else {
            self.post.world.budget.settle(false);
            return Ok(Some(Left::Finished));
        };
        let ran = self.host.run(plan, &mut self.execution);
        if ran.is_ok() && self.execution.is_lost() {
            self.post.world.budget.settle(false);
            return self.lose_run().map(|()| None);
        }
        let goes_on = ran.and_then(|()| self.absorb());
        self.post.world.budget.settle(self.search.counts().executions > before);
        if !goes_on? {
            return Ok(Some(Left::Given));
        }
        self.share().map(|()| None)
    }

    /// Reads the execution. Returns whether the search goes on as it is.
    fn absorb(&mut self) -> Result<bool, Failure> {
        let output = self.post.config.outcomes.then(|| self.host.output());
        let is_finding = self.check();
        if let Some(world) = self.post.world.after(&self.execution, &self.host, &self.post.config.rules) {
            self.send(What::Learned(Box::new(world), false));
            return Ok(false);
        }
        let before = self.search.counts().executions;
        match self.search.absorb(&self.execution) {
            Absorbed::Diverged(divergence) if !is_finding => {
                return Err(crate::session::nondeterministic(&self.host, &divergence));
            }
            Absorbed::Diverged(_) => {}
            Absorbed::Astray => return Err(does_not_fit()),
            Absorbed::Added => self.execution.steps.settle(),
        }
        if let (Some(end), Some([stdout, _])) = (&self.execution.end, output) {
            self.outcomes.add(end, stdout, self.search.counts().executions > before);
        }
        if self.search.was_wrong() {
            let mut world = self.post.world.clone();
            self.search.sharing().into_iter().for_each(|search| world.common = search.common());
            self.send(What::Learned(Box::new(world), true));
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether the execution shows something; then the leader is told, once.
    fn check(&mut self) -> bool {
        if self.execution.ending().is_none_or(|ending| ending == Ending::Diverged) {
            return false;
        }
        let shown = property::violations(&self.execution, &self.post.config.rules);
        let sights: Vec<Sight> = shown.iter().map(|shown| Sight::of(&shown.violation, &self.execution)).collect();
        let news = sights.into_iter().filter(|sight| !self.seen.contains(sight)).collect::<Vec<_>>();
        if !news.is_empty() {
            self.seen.extend(news);
            let schedule = self.execution.steps.iter().map(|step| step.token()).collect();
            self.send(What::Found(schedule, self.post.world.locations.clone()));
        }
        !shown.is_empty()
    }
}

pub fn does_not_fit() -> Failure {
    Failure::Nondeterministic(
        "the program does not do in one process what it did in another: something outside of rscale's control decides \
         what it does (addresses, uninitialised memory, hardware, other processes)"
            .into(),
    )
}
