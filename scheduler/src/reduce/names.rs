//! Numbers of variables that several searches agree about.

use super::footprint::VariableId;
use rscale_protocol::Variable;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The numbers of variables, for all searches that have a copy. Each remembers those that it knows, so this is asked
/// once for each variable.
#[derive(Clone, Debug, Default)]
pub struct Names(Arc<Mutex<HashMap<Variable, VariableId>>>);

impl Names {
    /// The number of a variable.
    #[must_use]
    pub fn number(&self, name: Variable) -> VariableId {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let next = numbers.len() as VariableId;
        *numbers.entry(name).or_insert(next)
    }

    /// The name of each variable, by number.
    #[must_use]
    pub fn table(&self) -> Vec<Variable> {
        let numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut table = vec![Variable(0); numbers.len()];
        for (&name, &number) in numbers.iter() {
            if let Some(place) = table.get_mut(number as usize) {
                *place = name;
            }
        }
        table
    }
}
