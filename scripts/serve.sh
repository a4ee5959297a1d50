#!/usr/bin/env bash
# Builds the page for release and serves it on 127.0.0.1, on the first free port from PORT (8080) on.
. "$(dirname "$0")/setup.sh"

need_compiler
need_build_tools
build_page
say "serving dist/"
exec node scripts/static-server.mjs dist "${PORT:-8080}"
