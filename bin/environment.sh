# Sourced by the scripts beside it: makes .venv and installs, once for each state of the project.

find_python() {
  local candidate
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3; do
    [ -n "$candidate" ] || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "Punktum's server needs Python 3.11 or newer; set PYTHON to one." >&2
  exit 1
}

# What an install depends on: the project file, the build hook, the catalogues, and the extras asked for.
state_of() {
  { echo "$1"; cat pyproject.toml hatch_build.py app/locale/*/LC_MESSAGES/*.po 2>/dev/null; } | cksum
}

# install_extras EXTRAS [FOLDER]: the folder of the virtual environment is .venv unless another is named.
install_extras() {
  local extras="$1" venv="${2:-.venv}" state mark
  mark="$venv/installed-$1"
  state="$(state_of "$extras")"
  if [ -f "$mark" ] && [ "$(cat "$mark")" = "$state" ]; then
    return
  fi
  echo "Setting up Punktum in $venv (once) …" >&2
  [ -x "$venv/bin/python" ] || "$(find_python)" -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".[$extras]" >&2
  echo "$state" > "$mark"
}
