//! The variables that an event touches: two at most, but for few events. These cost no allocation, and copying them is
//! copying bytes.

use super::footprint::{Mode, Role, Touch};
use std::fmt;
use std::ops::{Deref, DerefMut};

/// As many as are kept in place.
const FEW: usize = 2;
const NONE: Touch = Touch { variable: 0, mode: Mode::Read, role: Role::None, may_write: false };

/// A list of touches.
#[derive(Clone)]
pub struct Touches {
    few: [Touch; FEW],
    /// How many of these there are, unless all are elsewhere.
    count: u8,
    #[expect(clippy::box_collection, reason = "rare, and one word where it is not there")]
    many: Option<Box<Vec<Touch>>>,
}

impl Touches {
    /// No touches.
    pub const EMPTY: Touches = Touches { few: [NONE; FEW], count: 0, many: None };

    /// Adds one behind the others.
    pub fn push(&mut self, touch: Touch) {
        match (&mut self.many, self.few.get_mut(self.count as usize)) {
            (Some(many), _) => many.push(touch),
            (None, Some(place)) => {
                *place = touch;
                self.count += 1;
            }
            (None, None) => {
                let mut many = self.few.to_vec();
                many.push(touch);
                self.many = Some(Box::new(many));
            }
        }
    }

    /// Keeps the first ones, at most so many.
    pub fn truncate(&mut self, most: usize) {
        match &mut self.many {
            Some(many) => many.truncate(most),
            None => self.count = self.count.min(most as u8),
        }
    }
}

impl Deref for Touches {
    type Target = [Touch];
    #[inline]
    fn deref(&self) -> &[Touch] {
        match &self.many {
            Some(many) => many,
            None => &self.few[..self.count as usize],
        }
    }
}

impl DerefMut for Touches {
    fn deref_mut(&mut self) -> &mut [Touch] {
        match &mut self.many {
            Some(many) => many,
            None => &mut self.few[..self.count as usize],
        }
    }
}

impl<'a> IntoIterator for &'a Touches {
    type Item = &'a Touch;
    type IntoIter = std::slice::Iter<'a, Touch>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Touches {
    type Item = &'a mut Touch;
    type IntoIter = std::slice::IterMut<'a, Touch>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl FromIterator<Touch> for Touches {
    fn from_iter<I: IntoIterator<Item = Touch>>(touches: I) -> Touches {
        let mut list = Touches::EMPTY;
        touches.into_iter().for_each(|touch| list.push(touch));
        list
    }
}

impl PartialEq for Touches {
    fn eq(&self, other: &Touches) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Touches {}

impl fmt::Debug for Touches {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop, prop_assert_eq, proptest};

    proptest! {
        #[test]
        fn is_a_list(variables in prop::collection::vec(any::<u32>(), 0..6), most in 0usize..7) {
            let mut expected: Vec<Touch> = variables.iter().map(|&variable| Touch { variable, ..NONE }).collect();
            let mut list: Touches = expected.iter().copied().collect();
            prop_assert_eq!(&list[..], &expected[..]);
            prop_assert_eq!(&list.clone(), &list);
            expected.truncate(most);
            list.truncate(most);
            prop_assert_eq!(&list[..], &expected[..]);
            let more = Touch { variable: 7, ..NONE };
            expected.push(more);
            list.push(more);
            list.iter_mut().for_each(|touch| touch.may_write = true);
            expected.iter_mut().for_each(|touch| touch.may_write = true);
            prop_assert_eq!(&list[..], &expected[..]);
        }
    }
}
