//! Where a program computes without end, so that it can be told whether it is the same loop once more.

/// The calls on the stack of a thread that takes no step any more, the outermost first.
#[derive(Clone, Eq, Debug, Default)]
pub struct Spin {
    /// The calls; none where the stack is not known.
    pub calls: Vec<Call>,
}

/// A function that has not returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Where it stands.
    pub address: u64,
    /// The first address of the loop around that place, if it is in one.
    pub loop_start: Option<u64>,
}

/// A thread is interrupted anywhere in its loop, and in whatever the loop calls. The function with the loop is the outermost
/// one that is seen in different places, and these lie in one loop then.
impl PartialEq for Spin {
    fn eq(&self, other: &Spin) -> bool {
        let is_known = self.calls.is_empty() == other.calls.is_empty();
        let elsewhere = self.calls.iter().zip(&other.calls).find(|(one, other)| one.address != other.address);
        is_known && elsewhere.is_none_or(|(one, other)| one.loop_start.is_some() && one.loop_start == other.loop_start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(calls: &[(u64, Option<u64>)]) -> Spin {
        Spin { calls: calls.iter().map(|&(address, loop_start)| Call { address, loop_start }).collect() }
    }

    #[test]
    fn places_in_one_loop_are_the_same() {
        let main = (0x1000, None);
        let one = spin(&[main, (0x2004, Some(0x2000))]);
        assert_eq!(one, spin(&[main, (0x2008, Some(0x2000))]));
        assert_eq!(one, spin(&[main, (0x2010, Some(0x2000)), (0x3000, None)]), "in what the loop calls");
        assert_eq!(one, one.clone());
    }

    #[test]
    fn others_are_not() {
        let one = spin(&[(0x1000, None), (0x2004, Some(0x2000))]);
        assert_ne!(one, spin(&[(0x1000, None), (0x2104, Some(0x2100))]), "another loop");
        assert_ne!(one, spin(&[(0x1010, None), (0x2004, Some(0x2000))]), "called from elsewhere");
        assert_ne!(one, spin(&[(0x1000, None), (0x2200, None)]), "no loop");
        assert_ne!(spin(&[(0x2200, None)]), spin(&[(0x2204, None)]));
        assert_ne!(one, Spin::default(), "it is not known where");
    }
}
