//! A row of the library.

use crate::runtime::methods::keyed::Keyed;
use crate::runtime::methods::{Call, Run};

/// The values that have methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Strings.
    String,
    /// Lists.
    List,
    /// Objects.
    Object,
}

impl Receiver {
    /// Returns the kind in the terms of the language, with its article.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// What an operation belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    /// Called by its name: `range(3)`. A function of the program of that name comes first.
    Function,
    /// Called on a value: `text.trim()`.
    Method(Receiver),
}

/// The type of a parameter or a result, as far as the library tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// Any value.
    Any,
    /// None.
    None,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// A string.
    String,
    /// A list of values of one type.
    List(&'static Type),
    /// An object.
    Object,
    /// The receiver's own type.
    Same,
    /// An item of the receiver, or a value of its fields.
    Item,
    /// The name of a function that takes this number of arguments.
    Function(usize),
    /// The name of a function of one argument, or of a field as a string.
    Key,
    /// What the given function returns.
    Returned,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the documentation.
    pub name: &'static str,
    /// Its type.
    pub accepts: Type,
    /// True if it may be left out.
    pub is_optional: bool,
}

/// A program and its value, run by a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// A whole program, or the body of its `main func(input)`.
    pub program: &'static str,
    /// Its value as JSON; empty if it depends on the run.
    pub value: &'static str,
}

/// The way an operation is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body {
    /// From the value and the arguments alone.
    Run(Run),
    /// By a loop of the compiler, which calls the given function; without one, like `Run`.
    Each(Each, Option<Run>),
    /// A function, from its arguments alone.
    Call(Call),
    /// By an instruction of its own.
    Instruction,
}

/// What a loop does with the results of a function that it calls for each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Each {
    /// They are the items of a list.
    Map,
    /// An item stays if its result is true.
    Filter,
    /// They are the keys of the items.
    Keyed(Keyed),
    /// The first item whose result is true.
    Find,
    /// Whether one is true.
    Any,
    /// Whether all are true.
    All,
    /// The function gets its last result, too.
    Reduce,
}

/// A method or function of the library.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What it belongs to.
    pub owner: Owner,
    /// Its name.
    pub name: &'static str,
    /// Other names that stay valid.
    pub aliases: &'static [&'static str],
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// The type of its result.
    pub result: Type,
    /// A description of its result, in one line.
    pub summary: &'static str,
    /// An example.
    pub example: Example,
    pub(crate) body: Body,
}

/// A property: read without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: &'static str,
    /// The kinds of values that have it.
    pub receivers: &'static [Receiver],
    /// Its type.
    pub result: Type,
    /// A description, in one line.
    pub summary: &'static str,
}

pub(super) const fn required(name: &'static str, accepts: Type) -> Parameter {
    Parameter { name, accepts, is_optional: false }
}

pub(super) const fn optional(name: &'static str, accepts: Type) -> Parameter {
    Parameter { name, accepts, is_optional: true }
}

impl Entry {
    pub(super) const fn new(owner: Owner, name: &'static str, body: Body) -> Self {
        let example = Example { program: "", value: "" };
        let (result, summary) = (Type::Any, "");
        Self { owner, name, aliases: &[], parameters: &[], result, summary, example, body }
    }

    pub(super) const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    pub(super) const fn takes(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    pub(super) const fn gives(mut self, result: Type, summary: &'static str) -> Self {
        (self.result, self.summary) = (result, summary);
        self
    }

    pub(super) const fn example(mut self, program: &'static str, value: &'static str) -> Self {
        self.example = Example { program, value };
        self
    }

    /// Reports whether it is called by this name.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Returns the least number of arguments.
    #[must_use]
    pub fn least(&self) -> usize {
        self.parameters.iter().filter(|parameter| !parameter.is_optional).count()
    }

    /// Returns the greatest number of arguments.
    #[must_use]
    pub fn most(&self) -> usize {
        self.parameters.len()
    }

    /// Returns the position of the parameter that takes a function, and how many arguments the
    /// function gets.
    #[must_use]
    pub fn function_parameter(&self) -> Option<(usize, usize)> {
        self.parameters.iter().enumerate().find_map(|(at, parameter)| match parameter.accepts {
            Type::Function(count) => Some((at, count)),
            Type::Key => Some((at, 1)),
            _ => None,
        })
    }

    /// Returns its form, such as `slice(from, to?)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let mark = |is_optional: bool| if is_optional { "?" } else { "" };
        let named = |one: &Parameter| format!("{}{}", one.name, mark(one.is_optional));
        let names: Vec<String> = self.parameters.iter().map(named).collect();
        format!("{}({})", self.name, names.join(", "))
    }
}
