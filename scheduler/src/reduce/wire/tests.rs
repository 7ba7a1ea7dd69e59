//! Messages come out as they went in, damaged ones do not, and they are small.

use super::super::eager::Ahead;
use super::super::footprint::{Footprint, Mode, Parts, Reach, Role, Touch};
use super::super::item::{Begun, Explored, Item, Leaf, Released, ReleasedNode, Wish};
use super::super::names::Names;
use super::super::plan::Wanted;
use super::super::wakeup::Tree;
use crate::explore::{Branches, Fork, Order, Way};
use crate::parallel::{Account, Assignment, Report, Unreadable, open, seal};
use proptest::prelude::*;
use rscale_protocol::arena::Token;
use rscale_protocol::{Choice, ThreadId, ThreadSet, Variable};

/// Variables that messages are about.
const VARIABLES: u32 = 40;

fn names() -> Names {
    let names = Names::default();
    (0..VARIABLES)
        .for_each(|number| assert_eq!(names.number(Variable(0x5555_5555_0000 + 8 * u64::from(number))), number));
    names
}

fn token() -> impl Strategy<Value = Token> {
    (0u16..127, 0u8..3).prop_map(|(thread, choice)| Token {
        thread: ThreadId(thread),
        choice: Choice::from_code(choice).expect("a choice"),
    })
}

fn touch() -> impl Strategy<Value = Touch> {
    let modes = prop::sample::select(vec![Mode::Read, Mode::Add, Mode::Write]);
    let roles = prop::sample::select(vec![Role::None, Role::Take, Role::Give, Role::Claim]);
    (0..VARIABLES, modes, roles, any::<bool>()).prop_map(|(variable, mode, role, may_write)| Touch {
        variable,
        mode,
        role,
        may_write,
    })
}

fn event() -> impl Strategy<Value = Footprint> {
    let reach =
        prop_oneof![Just(Reach::Own), Just(Reach::Everyone), (0u16..127).prop_map(|n| Reach::Thread(ThreadId(n)))];
    (token(), prop::collection::vec(touch(), 0..4), reach, 1u32..9).prop_map(|(token, touches, reach, steps)| {
        Parts { token, touches: touches.into_iter().collect(), reach, steps }.into()
    })
}

fn events() -> impl Strategy<Value = Vec<Footprint>> {
    prop::collection::vec(event(), 0..6)
}

fn tree() -> impl Strategy<Value = Tree> {
    prop::collection::vec(prop::collection::vec(event(), 1..5), 0..4).prop_map(|sequences| {
        let mut tree = Tree::default();
        sequences.iter().for_each(|sequence| tree.insert(sequence));
        tree
    })
}

fn tokens() -> impl Strategy<Value = Vec<Token>> {
    prop::collection::vec(token(), 0..30)
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::new(0)), (1..u64::MAX).prop_map(Order::new)]
}

fn threads() -> impl Strategy<Value = ThreadSet> {
    prop::collection::vec(0u16..127, 0..5).prop_map(|numbers| numbers.into_iter().map(ThreadId).collect())
}

fn ahead() -> impl Strategy<Value = Ahead> {
    let section = prop::collection::vec((0u16..127, any::<u32>(), events()), 0..4);
    (section, threads(), any::<bool>())
        .prop_map(|(section, relied_on, is_crowded)| Ahead::planned(section, relied_on, is_crowded))
}

fn leaf() -> impl Strategy<Value = Item> {
    let asleep = prop::collection::vec((0usize..90, events()), 0..4);
    let planned = prop::collection::vec((event(), tree()), 0..4);
    let explored = prop::collection::vec((0usize..90, tokens()), 0..4);
    let ahead = prop::collection::vec((0usize..90, ahead()), 0..3);
    (tokens(), asleep, (0usize..90, 0usize..5), planned, (threads(), explored, ahead), any::<bool>(), order()).prop_map(
        |(schedule, asleep, (at, lingering), planned, (sleep, explored, ahead), sections_vary, order)| {
            let leaf = Leaf { schedule, asleep, at, lingering, planned, sleep, explored, ahead, sections_vary, order };
            Item::Leaf(Box::new(leaf))
        },
    )
}

fn fork() -> impl Strategy<Value = Fork> {
    let heritage = prop::collection::vec(prop::collection::vec(any::<u64>(), 0..9), 0..3);
    let forced = prop::option::of((0u16..127).prop_map(ThreadId));
    (0usize..90, tokens(), (threads(), threads(), threads()), forced, heritage).prop_map(
        |(depth, steps, (asleep, foreign, ended), forced, heritage)| Fork {
            depth,
            steps,
            asleep,
            foreign,
            ended,
            forced,
            heritage,
        },
    )
}

fn branches() -> impl Strategy<Value = Branches> {
    (tokens(), prop::collection::vec(fork(), 0..4), order(), 0.0..1.0)
        .prop_map(|(schedule, forks, order, weight)| Branches { way: Way { schedule, forks }, order, weight })
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![any::<bool>().prop_map(Item::Fresh), leaf(), branches().prop_map(|all| Item::Branches(Box::new(all)))]
}

fn assignment() -> impl Strategy<Value = Assignment> {
    (any::<u64>(), 0u64..9, any::<Option<u64>>(), item()).prop_map(|(item, epoch, budget, what)| Assignment {
        item,
        epoch,
        budget,
        what,
    })
}

fn begun() -> impl Strategy<Value = Begun> {
    (event(), tokens(), any::<bool>()).prop_map(|(event, steps, sleeps)| Begun { event, steps, sleeps })
}

fn explored() -> impl Strategy<Value = Vec<Explored>> {
    let leaf = begun().prop_map(|taken| Explored { taken, inside: None });
    let inner = |inside| {
        let all = (begun(), prop::collection::vec(inside, 0..3));
        all.prop_map(|(taken, inside)| Explored { taken, inside: Some(inside) })
    };
    prop::collection::vec(leaf.prop_recursive(3, 8, 3, inner), 0..3)
}

fn node() -> impl Strategy<Value = ReleasedNode> {
    let numbers = (0usize..5, 0usize..5, any::<[bool; 3]>());
    (events(), numbers, tokens(), explored(), tree(), begun(), ahead()).prop_map(
        |(sleep, (inherited, lingering, [leads_inside, is_cut, is_crowded]), done, explored, tree, taken, ahead)| {
            ReleasedNode {
                sleep,
                inherited,
                lingering,
                is_crowded,
                done,
                explored,
                tree,
                taken,
                leads_inside,
                is_cut,
                ahead,
            }
        },
    )
}

fn report() -> impl Strategy<Value = Report> {
    let wanted = prop_oneof![
        events().prop_map(Wanted::Sequence),
        events().prop_map(Wanted::OneOf),
        token().prop_map(Wanted::Event)
    ];
    let wish = (0usize..90, wanted).prop_map(|(at, wanted)| Wish { at, wanted });
    prop_oneof![
        prop::option::of(begun()).prop_map(Report::Begun),
        prop::collection::vec(wish, 0..4).prop_map(Report::Wishes),
        prop::collection::vec(node(), 0..3).prop_map(|nodes| Report::Released(Released::States(nodes))),
        branches().prop_map(|all| Report::Released(Released::Branches(Box::new(all)))),
        explored().prop_map(Report::Finished),
    ]
}

fn account() -> impl Strategy<Value = Account> {
    (any::<u64>(), 0u64..9, any::<(u64, u64)>(), prop::collection::vec(report(), 0..3))
        .prop_map(|(item, epoch, runs, reports)| Account { item, epoch, runs, reports })
}

proptest! {
    #[test]
    fn messages_come_out_as_they_went_in(assignment in assignment(), account in account()) {
        let names = names();
        prop_assert_eq!(open::<Assignment>(&seal(&assignment, &names), &names), Ok(assignment));
        prop_assert_eq!(open::<Account>(&seal(&account, &names), &names), Ok(account));
    }

    /// Another process has other numbers for the same variables.
    #[test]
    fn variables_go_by_name(assignment in assignment()) {
        let (names, others) = (names(), Names::default());
        (0..VARIABLES).rev().for_each(|number| _ = others.number(names.table()[number as usize]));
        let there = open::<Assignment>(&seal(&assignment, &names), &others).expect("a message");
        prop_assert_eq!(open::<Assignment>(&seal(&there, &others), &names), Ok(assignment));
    }

    #[test]
    fn damaged_messages_are_refused(assignment in assignment(), place: prop::sample::Index, bits in 1u8..=255) {
        let names = names();
        let mut bytes = seal(&assignment, &names);
        let length = place.index(bytes.len());
        prop_assert_eq!(open::<Assignment>(&bytes[..length], &names), Err(Unreadable::Damaged));
        bytes[length] ^= bits;
        prop_assert_eq!(open::<Assignment>(&bytes, &names), Err(Unreadable::Damaged));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        let names = names();
        let _ = super::decode::<Item>(&bytes, &names);
        let _ = super::decode::<Report>(&bytes, &names);
        let _ = open::<Account>(&bytes, &names);
    }
}

#[test]
fn newer_messages_are_refused_as_such() {
    let names = names();
    let mut bytes = seal(&Item::Fresh(true), &names);
    let text = bytes.len() - 8;
    bytes[0] += 1;
    let checksum = blake3::hash(&bytes[..text]);
    bytes[text..].copy_from_slice(&checksum.as_bytes()[..8]);
    assert_eq!(open::<Item>(&bytes, &names), Err(Unreadable::Version(bytes[0])));
}

/// What docs/scale.md says of sizes.
#[test]
fn messages_are_small() {
    let names = names();
    let event = |thread: u16, variable| {
        let token = Token { thread: ThreadId(thread), choice: Choice::Proceed };
        let touch = Touch { variable, mode: Mode::Write, role: Role::None, may_write: false };
        Footprint::from(Parts { token, touches: [touch].into_iter().collect(), reach: Reach::Own, steps: 1 })
    };
    let line = |length: u16| (0..length).map(|n| event(n % 8, u32::from(n % 4))).collect::<Vec<_>>();
    let leaf = |path: u16| Leaf {
        schedule: line(path).iter().map(|event| event.token).collect(),
        asleep: vec![(usize::from(path / 2), line(2))],
        at: path.into(),
        lingering: 0,
        planned: line(8).into_iter().map(|event| (event, Tree::default())).collect(),
        sleep: ThreadSet::EMPTY,
        explored: Vec::new(),
        ahead: Vec::new(),
        sections_vary: false,
        order: Order::new(0),
    };
    let size = |path| {
        let what = Item::Leaf(Box::new(leaf(path)));
        seal(&Assignment { item: 1 << 20, epoch: 1, budget: Some(256), what }, &names).len()
    };
    let account = |reports| Account { item: 1 << 20, epoch: 1, runs: (256, 256), reports };
    let wishes =
        |count| vec![Report::Wishes((0..count).map(|at| Wish { at, wanted: Wanted::Sequence(line(8)) }).collect())];
    let result = |reports| seal(&account(reports), &names).len();
    let sizes = [
        size(20),
        size(100),
        size(1000),
        result(vec![Report::Finished(Vec::new())]),
        result(wishes(1)),
        result(wishes(10)),
    ];
    assert_eq!(sizes, [150, 230, 1133, 21, 104, 563], "docs/scale.md says so");
}
