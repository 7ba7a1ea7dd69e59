//! Which bytes threads share: those that two of them may access at the same time, one of them to write.
//!
//! Only stores to such bytes take room in a buffer. A store that nobody else can look at is as good as visible at once,
//! and a program makes very many of them: a bound that counted them would say nothing about the program.

use super::buffers::{Access, Memory};
use super::enumerate::reachable;
use super::machine::{Copying, Machine};
use super::pieces::piece_size;
use super::program::{Kind, Op, Program};

/// The same model with the least and the most room that a buffer may have: only stores to bytes that threads share in
/// this program need some. None if there are more states than this.
///
/// The two are the same if it is clear which stores these are. Where accesses of different widths meet, one may say
/// that they share all bytes of both, or those only that both have: then all stores may need room, or none.
///
/// Which bytes they are may depend on how many stores there is room for, so they are collected until there are no more.
#[must_use]
pub fn with_room(program: &Program, memory: Memory, copying: Copying, most_states: usize) -> Option<[Memory; 2]> {
    if matches!(memory.bound, None | Some(0)) {
        return Some([memory; 2]);
    }
    let (mut shared, mut common) = (0, 0);
    loop {
        let known = shared;
        let memory = Memory { shared, ..memory };
        reachable(program, memory, copying, most_states, |machine, _| {
            for [first, second] in meetings(machine, program, copying) {
                shared |= first.bytes | second.bytes;
                common |= first.bytes & second.bytes;
            }
        })?;
        if shared == known {
            break;
        }
    }
    let is_clear = |op: &Op| {
        let further = if matches!(op.kind, Kind::WriteAt) { 8 } else { 0 };
        let bytes = match op.kind {
            Kind::Write | Kind::WriteAt | Kind::Update => {
                Access::new(op.offset.into(), usize::from(op.width) + further, true).bytes
            }
            Kind::Move => Access::new(op.value.into(), op.width.into(), true).bytes,
            Kind::Copy => Access::new(op.value.into(), op.other.into(), true).bytes,
            Kind::Text => Access::new(op.value.into(), 8, true).bytes,
            Kind::Fill => Access::new(op.offset.into(), op.other.into(), true).bytes,
            _ => 0,
        };
        bytes & shared == bytes & common
    };
    Some(match program.threads.iter().flatten().all(is_clear) {
        true => [Memory { shared, ..memory }; 2],
        false => [Memory { is_narrow: true, ..memory }, Memory { bound: None, ..memory }],
    })
}

/// The pairs of accesses of different threads that meet in a state: none of them has to come first.
fn meetings(machine: &Machine, program: &Program, copying: Copying) -> Vec<[Access; 2]> {
    let of_thread = |thread: usize| -> Vec<Access> {
        let next = machine.op(program, thread).and_then(|op| next_access(machine, thread, op, copying));
        machine.buffers.pending(thread).chain(next).collect()
    };
    let accesses: Vec<_> = (0..machine.threads.len()).map(of_thread).collect();
    let mut meetings = Vec::new();
    for (index, of_first) in accesses.iter().enumerate() {
        for &second in accesses[index + 1..].iter().flatten() {
            let met = of_first.iter().filter(|first| first.conflicts(&second));
            meetings.extend(met.map(|&first| [first, second]));
        }
    }
    meetings
}

/// The access that the next step of a thread makes, if it makes one.
fn next_access(machine: &Machine, thread: usize, op: &Op, copying: Copying) -> Option<Access> {
    let (state, width) = (&machine.threads[thread], usize::from(op.width));
    let offset = usize::from(machine.place(thread, op));
    let has_read = !state.read.is_empty();
    match op.kind {
        Kind::Copy => Some(match machine.stores_next(thread, op, copying) {
            Some((to, length)) => Access::new(to.into(), length.into(), true),
            None => {
                let size = piece_size(op, copying);
                let piece = state.written.iter().position(|&written| !written).unwrap_or(0);
                Access::new(offset + piece * size, size, false)
            }
        }),
        Kind::Fill | Kind::Text => Some(match machine.stores_next(thread, op, copying) {
            Some((to, length)) => Access::new(to.into(), length.into(), true),
            None => Access::new(offset, 8, false),
        }),
        Kind::Compare => {
            let size = piece_size(op, copying);
            let range = [op.offset, op.value][state.read.len() % 2];
            Some(Access::new(usize::from(range) + state.read.len() / 2 * size, size, false))
        }
        Kind::Move if has_read => Some(Access::new(op.value.into(), width, true)),
        Kind::Read | Kind::ReadAt | Kind::Await => Some(Access::new(offset, width, false)),
        Kind::Move | Kind::Update | Kind::CompareExchangeAdd if !has_read => Some(Access::new(offset, width, false)),
        _ => (width > 0).then(|| Access::new(offset, width, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffers::{Bytes, Model};
    use super::super::program::{Kind, Op};
    use super::*;

    fn shared(first: &[Op], second: &[Op], model: Model) -> Bytes {
        let main = [(Kind::Create, 1), (Kind::Create, 2), (Kind::Join, 1), (Kind::Join, 2)];
        let main = main.map(|(kind, thread)| Op::plain(kind, thread)).to_vec();
        let program = Program { threads: vec![main, first.to_vec(), second.to_vec()] };
        let memory = Memory { bound: Some(1), ..Memory::of(model) };
        let [least, most] = with_room(&program, memory, Copying::Words, 1000).expect("few states");
        assert_eq!(least, most);
        least.shared
    }

    #[test]
    fn what_one_thread_uses_alone_or_under_a_lock_is_not_shared() {
        let write = |offset| Op::access(Kind::Write, 4, offset, 1);
        let read = |offset| Op::access(Kind::Read, 4, offset, 0);
        assert_eq!(shared(&[write(0), write(8)], &[read(0), write(12)], Model::Tso), 0xf);
        let locked = |op| [Op::plain(Kind::Lock, 0), op, Op::plain(Kind::Unlock, 0)];
        assert_eq!(shared(&locked(write(0)), &locked(read(0)), Model::Pso), 0);
    }

    /// One may say that they share the second half alone, or the whole word.
    #[test]
    fn where_widths_differ_it_is_not_clear_what_is_shared() {
        let [first, second] = [(8, 0), (4, 4)].map(|(width, offset)| Op::access(Kind::Write, width, offset, 1));
        let [create, join] = [Kind::Create, Kind::Join].map(|kind| Op::plain(kind, 1));
        let program = Program { threads: vec![vec![create, first, join], vec![second]] };
        let memory = Memory { bound: Some(1), ..Memory::of(Model::Pso) };
        let [least, most] = with_room(&program, memory, Copying::Words, 1000).expect("few states");
        assert_eq!((least.is_narrow, least.bound, most.bound), (true, Some(1), None));
    }

    /// The data of a message is read only behind the flag; under PSO it may become visible behind the flag.
    #[test]
    fn a_message_is_shared_where_it_can_come_late() {
        let sends = [Op::access(Kind::Write, 1, 0, 1), Op::access(Kind::Write, 1, 1, 1)];
        let skip = Op { register: 0, ..Op::plain(Kind::Skip, 1) };
        let receives = [Op::access(Kind::Read, 1, 1, 0), skip, Op::access(Kind::Read, 1, 0, 0)];
        let by_model = [Model::Tso, Model::Pso].map(|model| shared(&sends, &receives, model));
        assert_eq!(by_model, [0b10, 0b11]);
    }
}
