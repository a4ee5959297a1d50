#!/usr/bin/env bash
# Measures what has a measurement and prints the budget table. Times are reported, never judged.
# With --long it also lets the page play for ten minutes in real time.
. "$(dirname "$0")/setup.sh"

export BENCH_RESULTS=$OUT/bench
rm -rf "$BENCH_RESULTS"
mkdir -p "$BENCH_RESULTS"

need_compiler
need_build_tools
build_page
need_browser
say "benches, native"
cargo bench --locked --benches
say "one program, natively and in Chromium"
cargo build --locked --release --example program
as_the_page cargo build --locked --release --example program --target wasm32-unknown-unknown
wasm-opt "$OUT/wasm32-unknown-unknown/release/examples/program.wasm" -O3 -o "$BENCH_RESULTS/program.wasm"
node benches/program.mjs "$OUT/release/examples/program" "$BENCH_RESULTS/program.wasm"
say "the page, in Chromium"
node benches/page.mjs "$@"
say "done"
CRITERION_RESULTS=$OUT/criterion node scripts/budget.mjs
