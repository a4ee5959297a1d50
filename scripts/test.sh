#!/usr/bin/env bash
# Brings what is missing and runs every check, or only the named ones: scripts/test.sh [STAGE…]
. "$(dirname "$0")/setup.sh"

STAGES=(lint native docs browser build size e2e)
LOGS=$OUT/log

lint() {
  cargo fmt --check
  cargo clippy --locked --all-targets -- -D warnings
  # Benches, the integration tests and queue-sim are native only.
  cargo clippy --locked --lib --bin queue-playground --test web --target wasm32-unknown-unknown -- -D warnings
}

native() {
  cargo test --locked
  # Again for what it prints: the rules of every broker, and how each is held.
  cargo test --locked --quiet --test it every_rule_is_held_by_cases -- --nocapture
}

docs() {
  export RUSTDOCFLAGS="-D warnings"
  cargo doc --locked --no-deps --lib
  cargo doc --locked --no-deps --lib --target wasm32-unknown-unknown
}

browser() {
  sed "s|/usr/bin/chromium|$CHROMIUM|" webdriver.json >"$OUT/webdriver.json"
  export WASM_BINDGEN_TEST_WEBDRIVER_JSON=$OUT/webdriver.json WASM_BINDGEN_TEST_TIMEOUT=180
  cargo test --locked --target wasm32-unknown-unknown --test web
}

build() {
  build_page
}

size() {
  build_page
  node scripts/size.mjs
}

e2e() {
  build_page
  # What the page shows is compared with it.
  cargo build --locked --bin queue-sim
  node --test --test-timeout=600000 "--test-reporter=$REPORTER" tests/e2e/*.test.mjs
}

[ $# -gt 0 ] || set -- "${STAGES[@]}"
for stage; do
  [[ " ${STAGES[*]} " == *" $stage "* ]] || stop "there is no stage \"$stage\"." "Stages: ${STAGES[*]}"
done
REPORTER=tap
[ ! -t 1 ] || REPORTER=spec
mkdir -p "$LOGS"

need_compiler
[[ " $* " != *\ @(browser|build|size|e2e)\ * ]] || need_build_tools
[[ " $* " != *\ @(browser|e2e)\ * ]] || need_browser
count=0
results=()
for stage; do
  count=$((count + 1))
  began=$SECONDS
  printf '\n'
  say "$count of $#: $stage"
  # A subshell of its own: `set -e` means nothing inside a function whose status is asked for.
  set +e
  (set -e; "$stage") 2>&1 | tee "$LOGS/$stage.log"
  status=${PIPESTATUS[0]}
  set -e
  [ "$status" = 0 ] || stop "stage $stage failed after $((SECONDS - began)) s ($count of $#)." "Its output is above; alone: scripts/test.sh $stage"
  results+=("$(printf '%-8s %4d s' "$stage" $((SECONDS - began)))")
done

printf '\n'
say "all passed"
printf '  %s\n' "${results[@]}"
for stage; do
  grep -hE '^(test result:|# (tests|pass|fail) |ℹ (tests|pass|fail) |total |player)' "$LOGS/$stage.log" || true
done
