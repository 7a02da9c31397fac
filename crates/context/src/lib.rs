//! Context items, budgets, tokens, fence, trust, manifest and trace of Contexture
