#!/usr/bin/env bash
# Measures what has a measurement and prints the budget table. Times are reported, never judged.
. "$(dirname "$0")/setup.sh"

export BENCH_RESULTS=$OUT/bench
rm -rf "$BENCH_RESULTS"
mkdir -p "$BENCH_RESULTS"

need_compiler
need_build_tools
build_page
if compgen -G "benches/*.rs" >/dev/null; then
  say "benches, native"
  cargo bench --locked --benches
fi
say "the page, in Chromium"
need_browser
node benches/page.mjs
say "done"
CRITERION_RESULTS=$OUT/criterion node scripts/budget.mjs
