//! The name that somebody may have meant.

/// The candidate that is most like a name, if one is: with few mistakes, or where one begins with the other. Capital
/// letters are no mistake.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).clamp(1, 3);
    let is_like = |mistakes: usize, candidate: &str| {
        let is_beginning = |long: &str, short: &str| short.len() > 2 && long.starts_with(short);
        (mistakes <= allowed && mistakes < length) || is_beginning(candidate, name) || is_beginning(name, candidate)
    };
    let lower = name.to_lowercase();
    let measured = candidates.into_iter().map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate));
    measured.filter(|&(mistakes, candidate)| is_like(mistakes, candidate)).min().map(|(_, candidate)| candidate)
}

/// The edit distance: insertions, deletions, replacements and swaps of neighbours.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut costs = vec![vec![0; right.len() + 1]; left.len() + 1];
    costs[0] = (0..=right.len()).collect();
    for i in 1..=left.len() {
        costs[i][0] = i;
        for j in 1..=right.len() {
            let replaced = costs[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut cost = replaced.min(costs[i - 1][j] + 1).min(costs[i][j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                cost = cost.min(costs[i - 2][j - 2] + 1);
            }
            costs[i][j] = cost;
        }
    }
    costs[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mistakes_and_beginnings_are_forgiven() {
        let near = |name| nearest(name, ["parse_line", "libz.so.1.2.13", "main.c", "go"]);
        assert_eq!(near("parse_lien"), Some("parse_line"));
        assert_eq!(near("libz.so"), Some("libz.so.1.2.13"));
        assert_eq!(near("mian.c"), Some("main.c"));
        assert_eq!((near("GO"), near("Parse_Lime")), (Some("go"), Some("parse_line")));
        assert_eq!([near("gone"), near("x"), near("")], [None; 3]);
    }

    proptest! {
        #[test]
        fn the_distance_is_symmetric_and_tells_words_apart(a in "[ab]{0,6}", b in "[ab]{0,6}") {
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert!(distance(&a, &b) <= a.len().max(b.len()));
        }
    }
}
