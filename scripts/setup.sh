# Brings what building and testing need; sourced by the other scripts, which call the functions they want.
# Every step looks first and fetches only what is missing, from the Rust, npm and Debian registries.
# Tools go to cargo's own folder, so every clone on the machine finds them again.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

TRUNK=0.21.14
TRUNK_ALSO=0.22.1 # works too; declares a newer Rust than Cargo.toml, so it is not what we install
CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
OWN_TOOLS=$CARGO_HOME/queue-playground # for a tool that is on the machine in another version
OUT=${CARGO_TARGET_DIR:-$PWD/target}
export PATH="$PWD/tests/node_modules/.bin:$OWN_TOOLS/bin:$CARGO_HOME/bin:$PATH"

say() { printf '[%4ds] %s\n' "$SECONDS" "$*"; }

# Ends the script with one sentence about what is wrong and one about what to do.
stop() {
  printf '\n[%4ds] Stopped: %s\n' "$SECONDS" "$1" >&2
  [ $# -lt 2 ] || printf '        %s\n' "$2" >&2
  exit 1
}

# quietly WHAT COMMAND…: runs a long command, says every 15 s that it is alive, and shows the end of its output if it fails.
quietly() {
  local what=$1 log status=0 ticker
  shift
  log=$(mktemp)
  # The redirection: a sleep left over must not keep a pipe open.
  while sleep 15 >/dev/null 2>&1; do
    say "  $what: still working, $(grep -c '^ *Compiling' "$log" || true) crates compiled so far"
  done &
  ticker=$!
  trap 'kill $ticker 2>/dev/null || true' EXIT
  "$@" >"$log" 2>&1 </dev/null || status=$?
  kill $ticker 2>/dev/null || true
  wait $ticker 2>/dev/null || true
  trap - EXIT
  [ $status = 0 ] || tail -n 40 "$log" >&2
  rm "$log"
  return $status
}

have() { [ "$("$1" --version 2>/dev/null | awk 'NR == 1 { print $2 }')" = "$2" ]; }

at_least() { [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

need_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
  command -v cargo >/dev/null && command -v rustc >/dev/null ||
    stop "Rust is missing." "Install Rust $wanted or newer, for instance from https://rustup.rs."
  found=$(rustc --version 2>/dev/null | awk '{ print $2 }')
  at_least "$wanted" "${found:-0}" || stop "Rust $wanted or newer is needed; this is ${found:-of no known version}." "Try: rustup update stable"
}

need_node() {
  local found
  command -v node >/dev/null && command -v npm >/dev/null ||
    stop "Node or npm is missing." "Install Node 20.11 or newer with npm, for instance from https://nodejs.org."
  found=$(node --version)
  at_least 20.11 "${found#v}" || stop "Node 20.11 or newer is needed; this is $found."
}

need_wasm_target() {
  [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib" ] && return
  command -v rustup >/dev/null ||
    stop "the Rust target wasm32-unknown-unknown is missing, and there is no rustup to bring it." \
      "Install it the way this Rust was installed, or install Rust from https://rustup.rs."
  say "Rust target wasm32-unknown-unknown: installing"
  quietly "rustup" rustup target add wasm32-unknown-unknown ||
    stop "rustup could not bring the target wasm32-unknown-unknown." "Is the network reachable? Its own words are above."
}

need_node_packages() {
  local done=tests/node_modules/.package-lock.json
  [ "$done" -nt tests/package-lock.json ] && [ "$done" -nt tests/package.json ] && return
  say "npm packages (wasm-opt, Playwright, axe): installing"
  quietly "npm" npm ci --prefix tests --include=dev || stop "npm could not bring the packages of tests/package-lock.json." "Is the network reachable? Its own words are above."
  touch "$done"
}

# install_tool COMMAND CRATE VERSION FLAGS…: a tool in another version is left alone, ours goes beside it.
install_tool() {
  local tool=$1 crate=$2 version=$3 root=$CARGO_HOME
  shift 3
  ! command -v "$tool" >/dev/null || root=$OWN_TOOLS
  # How fast a build tool runs hardly matters: unoptimised, Trunk compiles in 3 minutes instead of 10.
  quietly "$crate" env CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_TARGET_DIR="$OUT/tools" \
    cargo install "$crate" --version "$version" --root "$root" --force "$@" ||
    stop "cargo could not install $crate $version." "Is the network reachable, and is there a C compiler? Its own words are above."
  rm -rf "$OUT/tools"
}

need_wasm_bindgen() {
  local version
  version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
  have wasm-bindgen "$version" && have wasm-bindgen-test-runner "$version" && return
  say "wasm-bindgen $version: installing, about a minute"
  # Not --locked: the lock file of 0.2.130 names a crate version that not every mirror serves.
  install_tool wasm-bindgen wasm-bindgen-cli "$version"
}

need_trunk() {
  have trunk $TRUNK || have trunk $TRUNK_ALSO && return
  say "Trunk $TRUNK: installing, about three minutes"
  install_tool trunk trunk $TRUNK --locked --no-default-features --features rustls
}

need_crates() {
  quietly "crates" cargo fetch --locked ||
    stop "cargo could not bring the crates of Cargo.lock." "Is the network reachable? Its own words are above."
}

# What compiling for both targets needs.
need_compiler() {
  say "looking for the compiler"
  need_rust
  need_wasm_target
  need_crates
  hide_paths
}

# What building the page needs besides. No browser.
need_build_tools() {
  say "looking for the build tools"
  need_node
  need_node_packages
  need_wasm_bindgen
  need_trunk
}

# No path of this machine ends up in the wasm (panic locations carry them), so the same sources give the same file.
hide_paths() {
  local flags="--remap-path-prefix=$CARGO_HOME=cargo" folder
  [[ $CARGO_HOME != *' '* ]] || return 0 # the variable below separates flags by spaces
  for folder in "$CARGO_HOME"/registry/src/*; do flags+=" --remap-path-prefix=$folder=crates"; done
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$flags"
}

first_command() {
  local name
  for name; do command -v "$name" && return; done
  return 1
}

# Chromium and its driver: named in CHROMIUM and CHROMEDRIVER, or on PATH, or from Debian's registry as root.
need_browser() {
  CHROMIUM=${CHROMIUM:-$(first_command chromium chromium-browser google-chrome google-chrome-stable || true)}
  CHROMEDRIVER=${CHROMEDRIVER:-$(first_command chromedriver || true)}
  if [ -z "$CHROMIUM" ] || [ -z "$CHROMEDRIVER" ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
      stop "Chromium or its driver is missing." "Install both (Debian: apt-get install chromium chromium-driver), or name them in CHROMIUM and CHROMEDRIVER."
    say "Chromium and its driver: installing"
    { quietly "apt" apt-get update && DEBIAN_FRONTEND=noninteractive quietly "apt" apt-get install -y --no-install-recommends chromium chromium-driver; } ||
      stop "apt-get could not bring chromium and chromium-driver." "Is the network reachable? Its own words are above."
    CHROMIUM=$(first_command chromium) CHROMEDRIVER=$(first_command chromedriver)
  fi
  export CHROMIUM CHROMEDRIVER
}

# Runs a command that compiles as the page is compiled: for size, which native builds and benches are not. At opt-level 3
# the page is 40 % larger.
as_the_page() { env CARGO_PROFILE_RELEASE_OPT_LEVEL=z "$@"; }

# A stamp of the page in dist/: another clone may use the same target folder, and a debug build the same dist/.
page_stamp() { echo "$PWD $(cksum <dist/index.html)"; }

# Builds dist/ for release, unless nothing has changed since the last time.
build_page() {
  local stamp=$OUT/page.stamp
  if [ -e dist/player.html ] && [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$(page_stamp)" ] &&
    [ -z "$(find src static index.html Trunk.toml Cargo.toml Cargo.lock .cargo scripts/player.mjs scripts/model.mjs docs scripts/setup.sh tests/package-lock.json -newer "$stamp" -print -quit)" ]; then
    say "dist/ is up to date"
    return
  fi
  say "building the page for release, about a minute the first time"
  mkdir -p "$OUT"
  touch "$stamp.begun"
  # Trunk refuses to start with NO_COLOR=1, and its backtraces explain nothing.
  quietly "Trunk" as_the_page env -u NO_COLOR RUST_BACKTRACE=0 trunk build --release || stop "the page does not build." "The compiler's words are above."
  page_stamp >"$stamp"
  touch -r "$stamp.begun" "$stamp" && rm "$stamp.begun"
}
