//! The workspace tools of Contexture: files, search, environment, HTTP
