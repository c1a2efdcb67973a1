# Sourced by bin/test: a Chromium to drive. Debian's package when root may install it, else
# Playwright's own download; with neither the gate fails and says so.

find_chromium() {
  local candidate
  for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
    [ -n "$candidate" ] || continue
    if command -v "$candidate" >/dev/null 2>&1; then command -v "$candidate"; return; fi
  done
  .venv/bin/python - <<'PY'
from pathlib import Path
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    path = playwright.chromium.executable_path
print(path if Path(path).exists() else "")
PY
}

CHROMIUM="$(find_chromium)"
if [ -z "$CHROMIUM" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    (apt-get update -qq && apt-get install -y -qq chromium fonts-noto-core) >&2 || true
  fi
  CHROMIUM="$(find_chromium)"
fi
if [ -z "$CHROMIUM" ]; then
  .venv/bin/python -m playwright install chromium >&2 || true
  CHROMIUM="$(find_chromium)"
fi
if [ -z "$CHROMIUM" ]; then
  echo "bin/test: no Chromium: neither Debian's package nor Playwright's download could be had." >&2
  exit 1
fi
export CHROMIUM
