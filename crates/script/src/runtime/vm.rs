//! The virtual machine: runs a fiber until it is done, fails or needs an effect.
//!
//! Decisions:
//! - It is synchronous and keeps no native stack between instructions, so a fiber can stop at any
//!   effect and resume later, and calls nest as deep as the limit allows.
//! - The window of the current call is sliced from the stack once per call. Instructions reach
//!   registers by `get` on that slice; a register out of range can't be emitted, and would end the
//!   run with an error, not a panic.
//! - The dispatch exists twice: only the form that runs while a region is open looks for its end.
//! - Steps and cancellation are checked where code repeats: at jumps back and at calls. A jump back
//!   is counted as the length of the code it repeats, a call as the length of its callee.
//! - A register that is not read again keeps its value until it is written; its value is bounded by
//!   the limits like any other.

pub(crate) mod access;
mod agents;
mod build;
pub(crate) mod control;
pub(crate) use agents::{describe as describe_agent, enter as enter_agent};
mod effects;
pub(crate) mod fiber;
mod loops;
mod plain;
mod raise;
mod step;
mod tracing;

use super::code::Op;
use super::error::{Checked, Fault, codes};
use super::machine::Machine;
use super::number::Arithmetic;
use super::value::Value;
use super::value::tag::Tag;
use fiber::{Effect, Exit, Fiber, Frame, broken};

/// The greatest number of registers on the stack of one fiber (128 MB).
const STACK: usize = 8 << 20;

pub(crate) fn run(machine: &Machine<'_>, fiber: &mut Fiber) -> Exit {
    let mut stack = fiber.stack.take();
    let exit = loop {
        let exit = match fiber.control.is_open() {
            false => execute::<false>(machine, fiber, &mut stack),
            true => execute::<true>(machine, fiber, &mut stack),
        };
        if let Some(exit) = exit {
            break exit;
        }
    };
    fiber.stack.replace(stack);
    exit
}

/// Executes instructions until the fiber stops; with `REGIONS`, it also looks for the ends of
/// regions. Returns nothing when the other form has to go on.
#[expect(clippy::too_many_lines, reason = "the dispatch of all instructions; each arm is short")]
fn execute<const REGIONS: bool>(
    machine: &Machine<'_>,
    fiber: &mut Fiber,
    stack: &mut Vec<Value>,
) -> Option<Exit> {
    let Fiber {
        frames, events, parent, epoch, nested, depth, floor, waiting, failed, control, ..
    } = fiber;
    let parent = *parent;
    let most_frames = machine.meter.limits().call_depth.saturating_sub(*depth);
    let mut granted = machine.meter.slice();
    let mut fuel = granted;
    let Some(mut frame) = frames.pop() else { return Some(Exit::Done(Value::NONE)) };
    // Where an instruction found no room: it alone needs more when nothing else ran in between.
    let mut redone = None;
    'enter: loop {
        if REGIONS && !control.is_open() {
            frames.push(frame);
            let _ = machine.meter.spend(granted - fuel);
            return None;
        }
        let Some(function) = machine.program.functions.get(frame.function as usize) else {
            return Some(Exit::Done(Value::NONE));
        };
        let base = frame.base as usize;
        let top = base + function.registers;
        let code = function.code.as_slice();
        let mut pc = frame.pc as usize;
        // The end of the region that the next instructions are in.
        let mut region = if REGIONS { control.end(frames.len()) } else { control::NOWHERE };
        // An instruction that found no room is done again; an effect is not.
        let mut is_outcome = false;
        let fault = 'fault: {
            if stack.len() < top && !grow(stack, top) {
                break 'fault stack_full();
            }
            let Some(regs) = stack.get_mut(base..top) else { break 'fault broken() };
            if let Some(fault) = failed.take() {
                is_outcome = true;
                break 'fault fault;
            }

            macro_rules! attempt {
                ($outcome:expr) => {
                    match $outcome {
                        Ok(value) => value,
                        Err(fault) => break 'fault fault,
                    }
                };
            }
            macro_rules! get {
                ($register:expr) => {
                    match regs.get($register as usize) {
                        Some(value) => value,
                        None => break 'fault broken(),
                    }
                };
            }
            macro_rules! set {
                ($register:expr, $value:expr) => {
                    match regs.get_mut($register as usize) {
                        Some(slot) => *slot = $value,
                        None => break 'fault broken(),
                    }
                };
            }
            // An integer replaces an integer without a check for a drop.
            macro_rules! set_int {
                ($register:expr, $value:expr) => {
                    set_int!($register, $value, Tag::PROGRAM)
                };
                ($register:expr, $value:expr, $tag:expr) => {
                    match regs.get_mut($register as usize) {
                        Some(Value::Int(slot, tag)) => (*slot, *tag) = ($value, $tag),
                        Some(slot) => *slot = Value::Int($value, $tag),
                        None => break 'fault broken(),
                    }
                };
            }
            // So does a float.
            macro_rules! set_float {
                ($register:expr, $value:expr) => {
                    match regs.get_mut($register as usize) {
                        Some(Value::Float(slot, tag)) => (*slot, *tag) = ($value, Tag::PROGRAM),
                        Some(slot) => *slot = Value::float($value),
                        None => break 'fault broken(),
                    }
                };
            }
            macro_rules! pay {
                ($cost:expr) => {
                    fuel -= $cost as i64;
                    if fuel < 0 {
                        granted = attempt!(refuel(machine, granted - fuel));
                        fuel = granted;
                    }
                };
            }
            macro_rules! suspend {
                ($register:expr, $pc:expr, $effect:expr) => {{
                    let effect = $effect;
                    *waiting = base + $register as usize;
                    frames.push(Frame { pc: $pc as u32, ..frame });
                    let _ = machine.meter.spend(granted - fuel);
                    return Some(Exit::Effect(effect));
                }};
            }
            // Goes on in the other form.
            macro_rules! switch {
                () => {{
                    frames.push(Frame { pc: pc as u32, ..frame });
                    let _ = machine.meter.spend(granted - fuel);
                    return None;
                }};
            }
            // What follows is decided by a value of this tag.
            macro_rules! decide {
                ($tag:expr, $then:expr) => {
                    let tag = $tag;
                    if tag.is_program() {
                        $then;
                    } else {
                        let at = Frame { pc: pc.saturating_sub(1) as u32, ..frame };
                        region = control.decide(machine, at, frames.len(), tag);
                        $then;
                        if !REGIONS {
                            switch!();
                        }
                    }
                };
            }
            // A test that fails takes the jump after it.
            macro_rules! test {
                ($holds:expr) => {
                    if $holds {
                        pc += 1;
                    } else if let Some(Op::Jump { target }) = code.get(pc) {
                        pc = *target as usize;
                    }
                };
            }
            macro_rules! arithmetic {
                ($op:expr, $checked:ident, $float:tt, $to:expr, $left:expr, $right:expr) => {
                    match (get!($left), get!($right)) {
                        (Value::Int(left, Tag::PROGRAM), Value::Int(right, Tag::PROGRAM))
                            if let Some(value) = left.$checked(*right) =>
                        {
                            set_int!($to, value)
                        }
                        (Value::Float(left, Tag::PROGRAM), Value::Float(right, Tag::PROGRAM))
                            if let value = left $float right
                                && value.is_finite() =>
                        {
                            set_float!($to, value)
                        }
                        _ => attempt!(step::arithmetic(machine, regs, $op, ($to, $left, $right))),
                    }
                };
            }
            macro_rules! arithmetic_int {
                ($op:expr, $checked:ident, $to:expr, $left:expr, $value:expr) => {
                    match get!($left) {
                        Value::Int(left, Tag::PROGRAM)
                            if let Some(value) = left.$checked(i64::from($value)) =>
                        {
                            set_int!($to, value)
                        }
                        _ => attempt!(step::with_int(machine, regs, $op, ($to, $left), $value)),
                    }
                };
            }
            macro_rules! order_test {
                ($compare:tt, $left:expr, $right:expr) => {
                    match (get!($left), get!($right)) {
                        (Value::Int(left, Tag::PROGRAM), Value::Int(right, Tag::PROGRAM)) => test!(left $compare right),
                        (left, right) => {
                            let (order, tag) = attempt!(step::order(machine, left, right));
                            decide!(tag, test!(order $compare std::cmp::Ordering::Equal));
                        }
                    }
                };
            }
            macro_rules! order_test_int {
                ($compare:tt, $left:expr, $value:expr) => {
                    match get!($left) {
                        Value::Int(left, Tag::PROGRAM) => test!(*left $compare i64::from($value)),
                        left => {
                            let order = attempt!(step::order_int(left, $value));
                            decide!(left.tag(), test!(order $compare std::cmp::Ordering::Equal));
                        }
                    }
                };
            }
            macro_rules! equal {
                ($left:expr, $right:expr) => {
                    match (get!($left), get!($right)) {
                        (Value::Int(left, Tag::PROGRAM), Value::Int(right, Tag::PROGRAM)) => {
                            (left == right, Tag::PROGRAM)
                        }
                        (left, right) => attempt!(step::equal(machine, left, right)),
                    }
                };
            }

            loop {
                if REGIONS && pc == region {
                    region = control.leave(regs, machine.meter.tags(), (pc, frames.len()));
                    if !control.is_open() {
                        switch!();
                    }
                }
                let Some(op) = code.get(pc) else { break 'fault broken() };
                pc += 1;
                match *op {
                    Op::Nothing => {}
                    Op::Move { to, from } => plain::copy(regs, to, from),
                    Op::Take { to, from } => plain::take(regs, to, from),
                    Op::LoadNone { to } => set!(to, Value::NONE),
                    Op::LoadBool { to, value } => set!(to, Value::bool(value)),
                    Op::LoadInt { to, value } => set_int!(to, i64::from(value)),
                    Op::LoadConstant { to, index } => match machine.constants.get(index as usize) {
                        Some(Some(value)) => plain::load(regs, to, value),
                        _ => break 'fault step::no_constant(machine, index),
                    },
                    Op::LoadFile { to, import } => match machine.files.ready(import) {
                        Some(value) => set!(to, value),
                        None => suspend!(to, pc, Effect::File(import)),
                    },

                    Op::Add { to, left, right } => match (get!(left), get!(right)) {
                        (Value::Int(left, Tag::PROGRAM), Value::Int(right, Tag::PROGRAM))
                            if let Some(value) = left.checked_add(*right) =>
                        {
                            set_int!(to, value)
                        }
                        (Value::Float(left, Tag::PROGRAM), Value::Float(right, Tag::PROGRAM))
                            if let value = left + right
                                && value.is_finite() =>
                        {
                            set_float!(to, value)
                        }
                        _ => attempt!(step::add(machine, regs, to, left, right)),
                    },
                    Op::AddInt { to, left, value } => match get!(left) {
                        Value::Int(left, Tag::PROGRAM)
                            if let Some(sum) = left.checked_add(i64::from(value)) =>
                        {
                            set_int!(to, sum)
                        }
                        _ => attempt!(step::add_int(machine, regs, to, left, value)),
                    },
                    Op::Subtract { to, left, right } => {
                        arithmetic!(Arithmetic::Subtract, checked_sub, -, to, left, right)
                    }
                    Op::SubtractInt { to, left, value } => {
                        arithmetic_int!(Arithmetic::Subtract, checked_sub, to, left, value)
                    }
                    Op::Multiply { to, left, right } => {
                        arithmetic!(Arithmetic::Multiply, checked_mul, *, to, left, right)
                    }
                    Op::Divide { to, left, right } => match (get!(left), get!(right)) {
                        (Value::Float(left, Tag::PROGRAM), Value::Float(right, Tag::PROGRAM))
                            if let value = left / right
                                && value.is_finite() =>
                        {
                            set_float!(to, value)
                        }
                        _ => attempt!(step::arithmetic(
                            machine,
                            regs,
                            Arithmetic::Divide,
                            (to, left, right)
                        )),
                    },
                    Op::Remainder { to, left, right } => {
                        arithmetic!(Arithmetic::Remainder, checked_rem, %, to, left, right)
                    }
                    Op::RemainderInt { to, left, value } => {
                        arithmetic_int!(Arithmetic::Remainder, checked_rem, to, left, value)
                    }
                    Op::Negate { to, from } => {
                        let value = attempt!(super::number::negate(get!(from)));
                        set!(to, value);
                    }
                    Op::Not { to, from } => {
                        let (holds, tag) = get!(from).truth(machine.meter.tags());
                        set!(to, Value::Bool(!holds, tag));
                    }
                    Op::Equal { to, left, right } => {
                        let (value, tag) = equal!(left, right);
                        set!(to, Value::Bool(value, tag));
                    }
                    Op::NotEqual { to, left, right } => {
                        let (value, tag) = equal!(left, right);
                        set!(to, Value::Bool(!value, tag));
                    }
                    Op::Less { to, left, right } => {
                        let (order, tag) = attempt!(step::order(machine, get!(left), get!(right)));
                        set!(to, Value::Bool(order.is_lt(), tag));
                    }
                    Op::LessEqual { to, left, right } => {
                        let (order, tag) = attempt!(step::order(machine, get!(left), get!(right)));
                        set!(to, Value::Bool(order.is_le(), tag));
                    }

                    Op::Jump { target } => pc = target as usize,
                    Op::IfTrue { from } => match get!(from) {
                        Value::Bool(value, Tag::PROGRAM) => test!(*value),
                        value => {
                            let (holds, tag) = value.truth(machine.meter.tags());
                            decide!(tag, test!(holds));
                        }
                    },
                    Op::IfFalse { from } => match get!(from) {
                        Value::Bool(value, Tag::PROGRAM) => test!(!*value),
                        value => {
                            let (holds, tag) = value.truth(machine.meter.tags());
                            decide!(tag, test!(!holds));
                        }
                    },
                    Op::IfEqual { left, right } => {
                        let (equal, tag) = equal!(left, right);
                        decide!(tag, test!(equal));
                    }
                    Op::IfNotEqual { left, right } => {
                        let (equal, tag) = equal!(left, right);
                        decide!(tag, test!(!equal));
                    }
                    Op::IfLess { left, right } => order_test!(<, left, right),
                    Op::IfLessEqual { left, right } => order_test!(<=, left, right),
                    Op::IfEqualInt { left, value } => match get!(left) {
                        Value::Int(left, Tag::PROGRAM) => test!(*left == i64::from(value)),
                        left => {
                            let equal = step::equal_int(left, value);
                            decide!(left.tag(), test!(equal));
                        }
                    },
                    Op::IfNotEqualInt { left, value } => match get!(left) {
                        Value::Int(left, Tag::PROGRAM) => test!(*left != i64::from(value)),
                        left => {
                            let equal = step::equal_int(left, value);
                            decide!(left.tag(), test!(!equal));
                        }
                    },
                    Op::IfLessInt { left, value } => order_test_int!(<, left, value),
                    Op::IfLessEqualInt { left, value } => order_test_int!(<=, left, value),
                    Op::IfGreaterInt { left, value } => order_test_int!(>, left, value),
                    Op::IfGreaterEqualInt { left, value } => order_test_int!(>=, left, value),

                    Op::CountBegin { at, positive } => {
                        attempt!(loops::count_begin(regs, at, positive))
                    }
                    Op::CountNext { at, target } => {
                        let (more, tag) = attempt!(loops::count_next(regs, at));
                        decide!(
                            tag,
                            if more {
                                pay!(pc - target as usize);
                                pc = target as usize;
                            }
                        );
                    }
                    Op::CountNextEvent { at, target } => {
                        let index = loops::index(regs, at);
                        tracing::turn_end(machine, events, regs, at);
                        let (more, tag) = attempt!(loops::count_next(regs, at));
                        decide!(
                            tag,
                            if more {
                                tracing::turn_begin(machine, events, parent, index);
                                pay!(pc - target as usize);
                                pc = target as usize;
                            }
                        );
                    }
                    Op::WalkBegin { at, site } => {
                        let event = events.last().map_or(parent, |event| Some(event.id));
                        attempt!(loops::walk_begin(machine, event, regs, at, site));
                    }
                    Op::EachBegin { at, name } => {
                        attempt!(loops::each_begin(machine, regs, at, name));
                    }
                    Op::WalkNext { at, target } => {
                        let (more, tag) = attempt!(loops::walk_next(machine, regs, at));
                        decide!(
                            tag,
                            if more {
                                pay!(pc - target as usize);
                                pc = target as usize;
                            }
                        );
                    }
                    Op::WalkNextEvent { at, target } => {
                        let index = loops::index(regs, at + 1);
                        tracing::turn_end(machine, events, regs, at);
                        let (more, tag) = attempt!(loops::walk_next(machine, regs, at));
                        decide!(
                            tag,
                            if more {
                                tracing::turn_begin(machine, events, parent, index);
                                pay!(pc - target as usize);
                                pc = target as usize;
                            }
                        );
                    }
                    Op::Truncated { at, site } => {
                        loops::truncated(machine, events, parent, (regs, at), site);
                    }
                    Op::LoopBegin { at, site } => {
                        set!(at, Value::int(events.len() as i64));
                        tracing::loop_begin(machine, events, parent, regs, at, site);
                    }
                    Op::EventsEnd { at } => {
                        tracing::end_to(machine, events, tracing::kept(regs, at))
                    }
                    Op::EventsEndAll => tracing::end_to(machine, events, frame.events as usize),
                    Op::EventsMark { at } => set!(at, Value::int(events.len() as i64)),

                    Op::NewList { to, capacity } => {
                        let value = attempt!(build::new_list(machine, capacity));
                        set!(to, value);
                    }
                    Op::Append { list, item, take } => {
                        attempt!(build::append(machine, regs, (list, item), take, control.tag));
                    }
                    Op::NewObject { to, capacity } => {
                        let value = attempt!(build::new_object(machine, capacity));
                        set!(to, value);
                    }
                    Op::PutField { object, name, value, take } => {
                        attempt!(build::put_field(machine, regs, (object, name), value, take));
                    }
                    Op::PutKey { object, key, value } => {
                        attempt!(build::put_key(machine, regs, (object, key), value));
                    }
                    Op::GetField { to, base, name } => {
                        if !plain::field(machine, regs, to, base, name) {
                            let value = attempt!(access::field(machine, get!(base), name));
                            set!(to, value);
                        }
                    }
                    Op::GetLength { to, base } => {
                        if !plain::length(regs, to, base) {
                            let value = attempt!(access::length(machine, get!(base)));
                            set!(to, value);
                        }
                    }
                    Op::GetIndex { to, base, index } => {
                        if !plain::item(regs, to, base, index) {
                            let value = attempt!(access::item(machine, get!(base), get!(index)));
                            set!(to, value);
                        }
                    }
                    Op::SetField { base, name, value } => {
                        let (base, value) = (get!(base), get!(value));
                        let by = (*epoch, control.tag);
                        if !plain::set_field(machine, by, base, name, value) {
                            attempt!(access::set_field(machine, by, base, name, value));
                        }
                    }
                    Op::AddToField { base, name, value } => {
                        let (base, value) = (get!(base), get!(value));
                        let by = (*epoch, control.tag);
                        if attempt!(access::add_to_field(machine, by, base, name, value)) {
                            pc += 3;
                        }
                    }
                    Op::SetIndex { base, index, value } => {
                        let (base, index, value) = (get!(base), get!(index), get!(value));
                        let by = (*epoch, control.tag);
                        if !plain::set_key(by, base, index, value) {
                            attempt!(access::set_item(machine, by, base, index, value));
                        }
                    }
                    Op::ListAdd { list, item } => {
                        let (list, item) = (get!(list), get!(item));
                        attempt!(access::add(machine, (*epoch, control.tag), list, item));
                    }
                    Op::CallMethod { at, count, name } => {
                        attempt!(super::methods::call(machine, regs, at, count, name));
                    }
                    Op::GetOr { at, base, key } => {
                        if plain::get_or(regs, at, base, key) {
                            pc += 3;
                        }
                    }
                    Op::ByKeys { at, how } => {
                        let (list, keys) = (get!(at), get!(at + 1));
                        let value = attempt!(super::methods::keyed::by(machine, how, list, keys));
                        set!(at, value);
                    }
                    Op::CallFunction { at, count, function } => {
                        attempt!(super::methods::call_function(machine, regs, at, count, function));
                    }

                    Op::Call { at, function } => {
                        if frames.len() >= most_frames {
                            break 'fault too_deep(machine);
                        }
                        pay!(code.len());
                        frames.push(Frame { pc: pc as u32, ..frame });
                        let base = frame.base + u32::from(at);
                        frame = Frame { function, pc: 0, base, events: events.len() as u32 };
                        continue 'enter;
                    }
                    Op::CallAgent { at, site } => {
                        if frames.len() >= most_frames {
                            break 'fault too_deep(machine);
                        }
                        let function =
                            attempt!(agents::begin(machine, events, parent, regs, at, site));
                        frames.push(Frame { pc: pc as u32, ..frame });
                        let base = frame.base + u32::from(at);
                        frame = Frame { function, pc: 0, base, events: events.len() as u32 };
                        continue 'enter;
                    }
                    Op::AgentEnd { at } => attempt!(agents::end(machine, events, regs, at)),
                    Op::Return { from } => {
                        if control.tag.is_program()
                            && let Some(caller) = frames.pop()
                        {
                            frame = caller;
                            plain::take(regs, 0, from);
                            continue 'enter;
                        }
                        let value = step::take(regs, from);
                        let value = control.returned(value, machine.meter.tags(), frames.len());
                        match frames.pop() {
                            Some(caller) => frame = caller,
                            None => {
                                let _ = machine.meter.spend(granted - fuel);
                                return Some(Exit::Done(value));
                            }
                        }
                        set!(0_u16, value);
                        continue 'enter;
                    }
                    Op::ReturnNone => {
                        let tags = machine.meter.tags();
                        let value = control.returned(Value::NONE, tags, frames.len());
                        match frames.pop() {
                            Some(caller) => frame = caller,
                            None => {
                                let _ = machine.meter.spend(granted - fuel);
                                return Some(Exit::Done(value));
                            }
                        }
                        set!(0_u16, value);
                        continue 'enter;
                    }
                    Op::CheckArgument { at, shape } => {
                        attempt!(super::shapes::check_argument(
                            machine,
                            &function.label,
                            get!(at),
                            shape
                        ));
                    }

                    Op::Tool { at, site } => {
                        let effect = attempt!(effects::tool(
                            machine,
                            get!(at),
                            site,
                            (*nested > 0, control.tag)
                        ));
                        suspend!(at, pc, effect)
                    }
                    Op::Template { at, site } => {
                        let effect = attempt!(effects::template(machine, get!(at), site));
                        suspend!(at, pc, effect)
                    }
                    Op::Generate { at, site } => {
                        let effect = attempt!(effects::generate(
                            machine,
                            (regs, at),
                            site,
                            (*nested > 0, control.tag)
                        ));
                        suspend!(at, pc, effect)
                    }
                    Op::Release { at, site } => {
                        let event = events.last().map_or(parent, |event| Some(event.id));
                        let value = attempt!(effects::release(machine, event, get!(at), site));
                        set!(at, value);
                    }
                    Op::Progress { at } => {
                        let event = events.last().map_or(parent, |event| Some(event.id));
                        attempt!(effects::progress(machine, event, get!(at)));
                    }
                    Op::Choose { to, site } => {
                        let value = attempt!(effects::choose(machine, site));
                        set!(to, value);
                    }
                    Op::UseEvent { site } => {
                        let event = events.last().map_or(parent, |event| Some(event.id));
                        tracing::declared(machine, event, site);
                    }
                    Op::Parallel { at, site } => {
                        let here = Frame { pc: pc as u32, ..frame };
                        let open = *depth + frames.len();
                        let event = events.last().map_or(parent, |event| Some(event.id));
                        let (effect, end) = attempt!(effects::parallel(
                            machine,
                            regs,
                            (at, site),
                            here,
                            (event, *nested, open),
                            control.tag
                        ));
                        suspend!(at, end, effect)
                    }
                    Op::Fail { site } => break 'fault step::certain(machine, site),
                }
            }
        };
        let place = Frame { pc: pc.saturating_sub(1) as u32, ..frame };
        if fault.is_heap() && !is_outcome {
            let now = (place, machine.meter.steps(), granted - fuel);
            let is_stuck = redone.replace(now) == Some(now);
            if machine.measure(stack) && !is_stuck {
                frame = place;
                continue 'enter;
            }
        }
        let fiber = raise::Broken { stack, frames, events, parent, floor: *floor, control };
        match raise::raise(machine, fiber, place, *fault) {
            Ok(next) if REGIONS == control.is_open() => frame = next,
            Ok(next) => {
                frames.push(next);
                let _ = machine.meter.spend(granted - fuel);
                return None;
            }
            Err(error) => {
                let _ = machine.meter.spend(granted - fuel);
                return Some(Exit::Failed(error));
            }
        }
    }
}

/// Makes room for a window; returns false if the stack would be too large.
#[cold]
#[inline(never)]
fn grow(stack: &mut Vec<Value>, top: usize) -> bool {
    if top > STACK {
        return false;
    }
    stack.resize_with(top.max(stack.len().saturating_mul(2)).min(STACK), Value::default);
    true
}

#[cold]
#[inline(never)]
fn refuel(machine: &Machine<'_>, spent: i64) -> Checked<i64> {
    machine.meter.spend(spent)?;
    if machine.host.is_cancelled() {
        return Err(Fault::cancelled());
    }
    Ok(machine.meter.slice())
}

#[cold]
#[inline(never)]
fn too_deep(machine: &Machine<'_>) -> Box<Fault> {
    let limit = machine.meter.limits().call_depth;
    Fault::limit(codes::CALL_DEPTH, format!("more than {limit} calls are open at once"))
        .help("look for a recursion without an end, or raise `call_depth`")
}

#[cold]
#[inline(never)]
fn stack_full() -> Box<Fault> {
    Fault::limit(codes::CALL_DEPTH, "the open calls need more variables than there is room for")
        .help("look for a recursion without an end, or give the function fewer variables")
}
