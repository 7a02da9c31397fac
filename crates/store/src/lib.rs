//! What Contexture keeps: runs, manifests, texts by digest, memory
