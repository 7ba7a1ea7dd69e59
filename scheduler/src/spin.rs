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

/// A thread is interrupted anywhere in its loop, and in whatever the loop calls. The function with the loop is the
/// outermost one that is seen in different places, and these lie in one loop then. Where one of them lies in no loop,
/// that function returns, and the loop is one that calls it.
impl PartialEq for Spin {
    fn eq(&self, other: &Spin) -> bool {
        if self.calls.is_empty() != other.calls.is_empty() {
            return false;
        }
        let mut is_called_in_loop = false;
        for (one, other) in self.calls.iter().zip(&other.calls) {
            if one.address != other.address {
                return match (one.loop_start, other.loop_start) {
                    (Some(one), Some(other)) => one == other,
                    _ => is_called_in_loop,
                };
            }
            is_called_in_loop |= one.loop_start.is_some();
        }
        true
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
        let called = |address, loop_start| spin(&[main, (0x2004, Some(0x2000)), (address, loop_start)]);
        assert_eq!(called(0x3004, Some(0x3000)), called(0x3010, None), "in a loop that ends, and behind it");
    }

    #[test]
    fn others_are_not() {
        let one = spin(&[(0x1000, None), (0x2004, Some(0x2000))]);
        assert_ne!(one, spin(&[(0x1000, None), (0x2104, Some(0x2100))]), "another loop");
        assert_ne!(one, spin(&[(0x1010, None), (0x2004, Some(0x2000))]), "called from elsewhere");
        assert_ne!(one, spin(&[(0x1000, None), (0x2200, None)]), "no loop");
        let called = |address, loop_start| spin(&[(0x1000, Some(0x1000)), (address, loop_start)]);
        assert_ne!(called(0x2004, Some(0x2000)), called(0x2104, Some(0x2100)), "it may be that none of the two ends");
        assert_ne!(spin(&[(0x2200, None)]), spin(&[(0x2204, None)]));
        assert_ne!(one, Spin::default(), "it is not known where");
    }
}
