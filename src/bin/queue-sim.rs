//! The engine without a browser: runs, checks and renders scenario files.

fn main() {}
