//! Work items and their results as bytes: for the journal, and for workers on other machines.
//!
//! Numbers are as long as they have to be (seven bits a byte). Variables are addresses, of eight bytes, and numbered
//! anew by every process; so a message begins with those that it is about, and names each by its place there. Whoever
//! reads trusts nothing: what is no message is refused, whatever it is.

mod basics;
mod items;

use super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch, VariableId};
use super::item::{Begun, Explored, Wish};
use super::names::Names;
use super::plan::Wanted;
use super::wakeup::Tree;
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, Variable};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// Trees are as deep as sequences are long; nothing that makes sense is deeper.
const DEEPEST: u32 = 2000;

/// Writes a message.
pub struct Writer {
    bytes: Vec<u8>,
    /// The name of each variable, by number.
    table: Vec<Variable>,
    /// The variables of the message, and their places.
    places: HashMap<VariableId, u64>,
    variables: Vec<Variable>,
}

/// Reads a message.
pub struct Reader<'a> {
    bytes: &'a [u8],
    /// The numbers of the message's variables.
    variables: Vec<VariableId>,
    depth: u32,
}

/// What can be written, and read again.
pub trait Wire: Sized {
    /// Writes it.
    fn write(&self, to: &mut Writer);
    /// Reads it. None if it makes no sense.
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

/// The bytes of something.
#[must_use]
pub fn encode(what: &impl Wire, names: &Names) -> Vec<u8> {
    let mut body = Writer { bytes: Vec::new(), table: names.table(), places: HashMap::new(), variables: Vec::new() };
    what.write(&mut body);
    let mut all = Writer { bytes: Vec::new(), ..body };
    let variables = std::mem::take(&mut all.variables);
    all.number(variables.len() as u64);
    variables.iter().for_each(|variable| all.bytes.extend_from_slice(&variable.0.to_le_bytes()));
    all.bytes.extend_from_slice(&body.bytes);
    all.bytes
}

/// What the bytes say. None if they make no sense.
#[must_use]
pub fn decode<T: Wire>(bytes: &[u8], names: &Names) -> Option<T> {
    let mut from = Reader { bytes, variables: Vec::new(), depth: 0 };
    for _ in 0..from.count()? {
        let variable = Variable(u64::from_le_bytes(from.take(8)?.try_into().ok()?));
        from.variables.push(names.number(variable));
    }
    let what = T::read(&mut from)?;
    from.bytes.is_empty().then_some(what)
}

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    fn variable(&mut self, number: VariableId) {
        let next = self.variables.len() as u64;
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.variables.push(self.table.get(number as usize).copied().unwrap_or(Variable(0)));
        }
        self.number(place);
    }

    fn text(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn json(&mut self, what: &impl Serialize) {
        self.text(&serde_json::to_vec(what).unwrap_or_default());
    }
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            number |= bits.checked_shl(7 * place).filter(|shifted| shifted >> (7 * place) == bits)?;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A number of things, each of which takes a byte at least.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|&count| count <= self.bytes.len())
    }

    fn variable(&mut self) -> Option<VariableId> {
        let place = usize::try_from(self.number()?).ok()?;
        self.variables.get(place).copied()
    }

    fn json<T: DeserializeOwned>(&mut self) -> Option<T> {
        let count = self.count()?;
        serde_json::from_slice(self.take(count)?).ok()
    }
}

const MODES: [Mode; 3] = [Mode::Read, Mode::Add, Mode::Write];
const ROLES: [Role; 4] = [Role::None, Role::Take, Role::Give, Role::Claim];

fn place<T: PartialEq>(list: &[T], member: &T) -> u8 {
    list.iter().position(|other| other == member).unwrap_or(list.len()) as u8
}

impl Wire for Touch {
    fn write(&self, to: &mut Writer) {
        to.byte(place(&MODES, &self.mode) | place(&ROLES, &self.role) << 2 | u8::from(self.may_write) << 4);
        to.variable(self.variable);
    }
    fn read(from: &mut Reader<'_>) -> Option<Touch> {
        let byte = from.byte().filter(|byte| byte >> 5 == 0)?;
        let (mode, role) = (*MODES.get(usize::from(byte & 3))?, *ROLES.get(usize::from(byte >> 2 & 3))?);
        Some(Touch { variable: from.variable()?, mode, role, may_write: byte >> 4 & 1 == 1 })
    }
}

impl Wire for Reach {
    fn write(&self, to: &mut Writer) {
        match self {
            Reach::Own => to.byte(0),
            Reach::Everyone => to.byte(1),
            Reach::Thread(thread) => to.number(thread.0 as u64 + 2),
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Reach> {
        Some(match from.number()? {
            0 => Reach::Own,
            1 => Reach::Everyone,
            thread => Reach::Thread(ThreadId::from_index(usize::try_from(thread - 2).ok()?)?),
        })
    }
}

impl Wire for Footprint {
    fn write(&self, to: &mut Writer) {
        self.token.write(to);
        self.reach.write(to);
        to.number(self.steps.into());
        to.number(self.touches.len() as u64);
        self.touches.iter().for_each(|touch| touch.write(to));
    }
    fn read(from: &mut Reader<'_>) -> Option<Footprint> {
        let (token, reach, steps) = (Token::read(from)?, Reach::read(from)?, from.number()?.try_into().ok()?);
        let touches = (0..from.count()?).map(|_| Touch::read(from)).collect::<Option<_>>()?;
        Some(Parts { token, touches, reach, steps }.into())
    }
}

impl Wire for Tree {
    fn write(&self, to: &mut Writer) {
        to.number(self.branches().count() as u64);
        for (line, rest) in self.branches() {
            to.number(line.len() as u64);
            line.iter().for_each(|event| event.write(to));
            rest.write(to);
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Tree> {
        from.depth += 1;
        let mut tree = Tree::default();
        for _ in 0..from.count().filter(|_| from.depth < DEEPEST)? {
            let line = Vec::<Footprint>::read(from)?;
            tree.push_branch(Some(line).filter(|line| !line.is_empty())?, Tree::read(from)?);
        }
        from.depth -= 1;
        Some(tree)
    }
}

impl Wire for Wanted {
    fn write(&self, to: &mut Writer) {
        match self {
            Wanted::Sequence(events) => (0u64, events.clone()).write(to),
            Wanted::OneOf(events) => (1u64, events.clone()).write(to),
            Wanted::Event(token) => (2u64, *token).write(to),
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Wanted> {
        match from.number()? {
            0 => Vec::read(from).map(Wanted::Sequence),
            1 => Vec::read(from).map(Wanted::OneOf),
            2 => Token::read(from).map(Wanted::Event),
            _ => None,
        }
    }
}

impl Wire for Wish {
    fn write(&self, to: &mut Writer) {
        self.at.write(to);
        self.wanted.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Wish> {
        Some(Wish { at: usize::read(from)?, wanted: Wanted::read(from)? })
    }
}

impl Wire for Begun {
    fn write(&self, to: &mut Writer) {
        self.event.write(to);
        self.steps.write(to);
        self.sleeps.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Begun> {
        Some(Begun { event: Footprint::read(from)?, steps: Vec::read(from)?, sleeps: bool::read(from)? })
    }
}

impl Wire for Explored {
    fn write(&self, to: &mut Writer) {
        self.taken.write(to);
        self.inside.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<Explored> {
        from.depth += 1;
        let taken = Some(Begun::read(from)?).filter(|_| from.depth < DEEPEST)?;
        let explored = Explored { taken, inside: Option::read(from)? };
        from.depth -= 1;
        Some(explored)
    }
}

#[cfg(test)]
mod tests;
