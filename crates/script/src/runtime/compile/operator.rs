//! Operators and conditions (AS-7). A comparison that decides a jump is one instruction with it.

use super::assign::small_int;
use super::builder::Label;
use super::function::FunctionCompiler;
use crate::runtime::code::{Op, Reg};
use crate::stack::deeper;
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::syntax::walk::strip;

impl<'a> FunctionCompiler<'_, 'a> {
    /// Compiles a chain of operators such as `a + b - c`, from the left without recursion.
    pub(super) fn binary(&mut self, expr: &'a Expr, to: Reg) {
        let mut chain = Vec::new();
        let mut inner = expr;
        while let ExprKind::Binary { op, left, right, .. } = &inner.kind {
            if matches!(op, BinaryOp::And | BinaryOp::Or) {
                break;
            }
            chain.push((*op, inner, &**right));
            inner = strip(left);
        }
        let middle = if chain.len() > 1 { self.code.temp() } else { to };
        let mut left = None;
        for (rest, (op, node, right)) in chain.iter().enumerate().rev() {
            let into = if rest == 0 { to } else { middle };
            let mark = self.code.mark();
            match left {
                None => self.first_step(*op, node, (inner, right), into),
                Some(left) => self.step(*op, node, left, right, into),
            }
            self.code.release(mark);
            left = Some(into);
        }
    }

    fn first_step(&mut self, op: BinaryOp, node: &Expr, sides: (&'a Expr, &'a Expr), to: Reg) {
        let (left, right) = sides;
        match int_form(op, to, 0, small_int(right)) {
            Some(_) => {
                let left = self.operand(left);
                self.step(op, node, left, right, to);
            }
            None => {
                let (left, right) = self.operands(left, right);
                self.at(node.span);
                self.code.emit(form(op, to, left, right));
            }
        }
    }

    fn step(&mut self, op: BinaryOp, node: &Expr, left: Reg, right: &'a Expr, to: Reg) {
        if let Some(op) = int_form(op, to, left, small_int(right)) {
            self.at(node.span);
            self.code.emit(op);
            return;
        }
        let right = self.operand(right);
        self.at(node.span);
        self.code.emit(form(op, to, left, right));
    }

    pub(super) fn truth(&mut self, expr: &'a Expr, to: Reg) {
        let no = self.code.label();
        let end = self.code.label();
        self.branch(expr, false, no);
        self.at(expr.span);
        self.code.emit(Op::LoadBool { to, value: true });
        self.code.jump(end);
        self.code.place(no);
        self.code.emit(Op::LoadBool { to, value: false });
        self.code.place(end);
    }

    /// Jumps to `target` if the condition is `when`; continues otherwise.
    pub(super) fn branch(&mut self, expr: &'a Expr, when: bool, target: Label) {
        let expr = strip(expr);
        let mark = self.code.mark();
        deeper(|| self.branch_kind(expr, when, target));
        self.code.release(mark);
    }

    fn branch_kind(&mut self, expr: &'a Expr, when: bool, target: Label) {
        match &expr.kind {
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.branch(operand, !when, target),
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), .. } => {
                self.connective(expr, *op, when, target);
            }
            ExprKind::Binary { op, left, right, .. } if is_comparison(*op) => {
                self.comparison(expr, *op, (left, right), when, target);
            }
            _ => {
                let from = self.operand(expr);
                self.at(expr.span);
                // A test that holds skips the jump.
                self.code.emit(if when { Op::IfFalse { from } } else { Op::IfTrue { from } });
                self.code.jump(target);
            }
        }
    }

    /// Compiles `a and b and c`, `a or b or c`: the operands of one operator in a row.
    fn connective(&mut self, expr: &'a Expr, op: BinaryOp, when: bool, target: Label) {
        let mut operands = Vec::new();
        let mut inner = expr;
        while let ExprKind::Binary { op: same, left, right, .. } = &inner.kind {
            if *same != op {
                break;
            }
            operands.push(&**right);
            inner = strip(left);
        }
        operands.push(inner);
        // `or` is decided by the first true operand, `and` by the first false one.
        let decides = op == BinaryOp::Or;
        if decides == when {
            operands.iter().rev().for_each(|operand| self.branch(operand, when, target));
            return;
        }
        let past = self.code.label();
        for (rest, operand) in operands.iter().enumerate().rev() {
            match rest {
                0 => self.branch(operand, when, target),
                _ => self.branch(operand, decides, past),
            }
        }
        self.code.place(past);
    }

    fn comparison(
        &mut self,
        expr: &Expr,
        op: BinaryOp,
        sides: (&'a Expr, &'a Expr),
        when: bool,
        target: Label,
    ) {
        let (left, right) = sides;
        // The test must hold exactly when no jump is wanted.
        let op = if when { opposite(op) } else { op };
        let test = match (small_int(left), small_int(right)) {
            (_, Some(value)) => int_test(op, self.operand(left), value),
            (Some(value), None) => int_test(mirrored(op), self.operand(right), value),
            (None, None) => {
                let (left, right) = self.operands(left, right);
                test(op, left, right)
            }
        };
        self.at(expr.span);
        self.code.emit(test);
        self.code.jump(target);
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}

/// Returns the comparison that holds exactly when `op` does not; numbers are always ordered, there
/// is not NaN.
fn opposite(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        other => other,
    }
}

/// Returns the same comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

fn test(op: BinaryOp, left: Reg, right: Reg) -> Op {
    match op {
        BinaryOp::Less => Op::IfLess { left, right },
        BinaryOp::LessEqual => Op::IfLessEqual { left, right },
        BinaryOp::Greater => Op::IfLess { left: right, right: left },
        BinaryOp::GreaterEqual => Op::IfLessEqual { left: right, right: left },
        BinaryOp::NotEqual => Op::IfNotEqual { left, right },
        _ => Op::IfEqual { left, right },
    }
}

fn int_test(op: BinaryOp, left: Reg, value: i16) -> Op {
    match op {
        BinaryOp::Less => Op::IfLessInt { left, value },
        BinaryOp::LessEqual => Op::IfLessEqualInt { left, value },
        BinaryOp::Greater => Op::IfGreaterInt { left, value },
        BinaryOp::GreaterEqual => Op::IfGreaterEqualInt { left, value },
        BinaryOp::NotEqual => Op::IfNotEqualInt { left, value },
        _ => Op::IfEqualInt { left, value },
    }
}

fn form(op: BinaryOp, to: Reg, left: Reg, right: Reg) -> Op {
    match op {
        BinaryOp::Add => Op::Add { to, left, right },
        BinaryOp::Subtract => Op::Subtract { to, left, right },
        BinaryOp::Multiply => Op::Multiply { to, left, right },
        BinaryOp::Divide => Op::Divide { to, left, right },
        BinaryOp::Remainder => Op::Remainder { to, left, right },
        BinaryOp::NotEqual => Op::NotEqual { to, left, right },
        BinaryOp::Less => Op::Less { to, left, right },
        BinaryOp::LessEqual => Op::LessEqual { to, left, right },
        BinaryOp::Greater => Op::Less { to, left: right, right: left },
        BinaryOp::GreaterEqual => Op::LessEqual { to, left: right, right: left },
        BinaryOp::Equal | BinaryOp::And | BinaryOp::Or => Op::Equal { to, left, right },
    }
}

fn int_form(op: BinaryOp, to: Reg, left: Reg, value: Option<i16>) -> Option<Op> {
    let value = value?;
    match op {
        BinaryOp::Add => Some(Op::AddInt { to, left, value }),
        BinaryOp::Subtract => Some(Op::SubtractInt { to, left, value }),
        // A divisor of 0 or -1 is left to the general form.
        BinaryOp::Remainder if value > 0 => Some(Op::RemainderInt { to, left, value }),
        _ => None,
    }
}
