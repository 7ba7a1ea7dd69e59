//! What messages are made of: numbers, lists, and the small things that stand in everything else.

use super::{Reader, Wire, Writer};
use crate::explore::Order;
use rscale_protocol::arena::Token;
use rscale_protocol::{ThreadId, ThreadSet};

impl Wire for u64 {
    fn write(&self, to: &mut Writer) {
        to.number(*self);
    }
    fn read(from: &mut Reader<'_>) -> Option<u64> {
        from.number()
    }
}

impl Wire for usize {
    fn write(&self, to: &mut Writer) {
        to.number(*self as u64);
    }
    fn read(from: &mut Reader<'_>) -> Option<usize> {
        from.number()?.try_into().ok()
    }
}

impl Wire for f64 {
    fn write(&self, to: &mut Writer) {
        to.bytes.extend_from_slice(&self.to_le_bytes());
    }
    fn read(from: &mut Reader<'_>) -> Option<f64> {
        Some(f64::from_le_bytes(from.take(8)?.try_into().ok()?))
    }
}

impl Wire for bool {
    fn write(&self, to: &mut Writer) {
        to.byte(u8::from(*self));
    }
    fn read(from: &mut Reader<'_>) -> Option<bool> {
        from.byte().filter(|&byte| byte <= 1).map(|byte| byte == 1)
    }
}

impl Wire for Token {
    fn write(&self, to: &mut Writer) {
        to.number(self.to_code().into());
    }
    fn read(from: &mut Reader<'_>) -> Option<Token> {
        Token::from_code(from.number()?.try_into().ok()?)
    }
}

impl Wire for ThreadSet {
    fn write(&self, to: &mut Writer) {
        self.iter().map(|thread| thread.index()).collect::<Vec<usize>>().write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<ThreadSet> {
        Vec::<usize>::read(from)?.into_iter().map(ThreadId::from_index).collect()
    }
}

impl Wire for Order {
    fn write(&self, to: &mut Writer) {
        let (state, is_shuffled) = self.parts();
        is_shuffled.write(to);
        if is_shuffled {
            to.bytes.extend_from_slice(&state.to_le_bytes());
        }
    }
    fn read(from: &mut Reader<'_>) -> Option<Order> {
        let state = match bool::read(from)? {
            true => Some(u64::from_le_bytes(from.take(8)?.try_into().ok()?)),
            false => None,
        };
        Some(Order::of_parts(state))
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.number(self.len() as u64);
        self.iter().for_each(|member| member.write(to));
    }
    fn read(from: &mut Reader<'_>) -> Option<Vec<T>> {
        (0..from.count()?).map(|_| T::read(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, to: &mut Writer) {
        self.is_some().write(to);
        self.iter().for_each(|member| member.write(to));
    }
    fn read(from: &mut Reader<'_>) -> Option<Option<T>> {
        if bool::read(from)? { Some(Some(T::read(from)?)) } else { Some(None) }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
        self.1.write(to);
    }
    fn read(from: &mut Reader<'_>) -> Option<(A, B)> {
        Some((A::read(from)?, B::read(from)?))
    }
}
