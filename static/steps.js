// The table of steps: its rows are changed here, numbered by their places, and each change can be undone. What is said
// of it comes from the server, which is asked a moment after each change (`retyped`). Loaded after app.js, on that page
// alone; the page works without it.
"use strict";

const table = document.querySelector("[data-steps]");

if (table) {
  const undoLine = document.getElementById("undo");
  const undoButton = undoLine.querySelector("[data-undo]");
  const states = []; // the table before each change, the last one on top
  let held = null; // the table when the field in focus got it, before anything was typed there
  let asked = true; // whether the server was asked after the last change
  const rowsOf = () => [...table.querySelectorAll(":scope > [data-row]")];
  const valuesOf = (row) => [...row.querySelectorAll("input, select")];
  const fieldsOf = (row) => [...row.querySelectorAll("input:not([type=hidden]), select")];
  const title = (row) => row.querySelector(".c-title input").value.trim();

  function place() {
    const row = document.activeElement.closest("[data-row]");
    return { row: rowsOf().indexOf(row), field: row ? fieldsOf(row).indexOf(document.activeElement) : -1 };
  }

  const state = (said = "") => ({ values: rowsOf().map((row) => valuesOf(row).map((one) => one.value)), at: place(), said });

  function newRow(before) {
    const row = table.querySelector("template").content.firstElementChild.cloneNode(true);
    before.before(row);
    return row;
  }

  /** Number names, ids and buttons by the places of the rows; the first cannot go up, the last not down. */
  function number() {
    const rows = rowsOf();
    rows.forEach((row, at) => {
      for (const one of row.querySelectorAll("[name], [id], [for], [aria-describedby], button")) {
        for (const name of ["name", "id", "for", "aria-describedby"]) {
          const said = one.getAttribute(name);
          if (said) one.setAttribute(name, said.replace(/(steps[.-])(\d+|__n__)/g, `$1${at}`));
        }
        if (one.matches("button")) {
          one.value = one.value.replace(/[^:]*$/, at);
          one.disabled = one.value === "up:steps:0" || one.value === `down:steps:${rows.length - 1}`;
        }
      }
    });
  }

  function focus(row, field, whole = true) {
    const one = row && fieldsOf(row)[Math.max(field, 0)];
    one?.focus();
    if (whole) one?.select?.();
  }

  function retype() {
    asked = false;
    touched(table);
    undoButton.hidden = !states.length;
    undoLine.firstElementChild.textContent = states.at(-1)?.said ?? "";
    table.dispatchEvent(new Event("retyped", { bubbles: true }));
  }

  /** Keep what a field held before it was typed in. */
  function commit() {
    if (held && held.one.value !== held.value) states.push(held.state);
    held = null;
  }

  const acts = {
    add: () => newRow(table.querySelector("template")),
    below: (row) => newRow(row.nextElementSibling),
    copy(row) {
      const copied = newRow(row.nextElementSibling), from = valuesOf(row);
      valuesOf(copied).forEach((one, at) => { if (!/\.(id|was)$/.test(one.name)) one.value = from[at].value; });
      return copied;
    },
    remove(row) {
      const rows = rowsOf(), at = rows.indexOf(row);
      row.remove();
      return rows[at + 1] ?? rows[at - 1];
    },
    up(row) {
      rowsOf()[rowsOf().indexOf(row) - 1]?.before(row);
      return row;
    },
    down(row) {
      rowsOf()[rowsOf().indexOf(row) + 1]?.after(row);
      return row;
    },
  };

  /** Change the rows by one act; the focus goes to `field` of the row that matters next, or to its same button. */
  function change(verb, row, field, button) {
    commit();
    const named = row && (title(row) || rowsOf().indexOf(row) + 1);
    states.push(state(verb === "remove" ? table.dataset.removed.replace("{title}", () => named) : ""));
    const next = acts[verb](row);
    number();
    retype();
    const same = button && verb !== "copy" && next?.querySelector(`[value^="${verb}:"]:enabled`);
    if (same && verb !== "below") same.focus();
    else if (next) focus(next, field);
    else table.querySelector(".add-row button").focus();
  }

  function undo() {
    commit();
    const before = states.pop();
    if (!before) return;
    while (rowsOf().length > before.values.length) rowsOf().at(-1).remove();
    while (rowsOf().length < before.values.length) acts.add();
    number();
    rowsOf().forEach((row, at) => valuesOf(row).forEach((one, n) => { one.value = before.values[at][n]; }));
    retype();
    focus(rowsOf()[before.at.row] ?? rowsOf().at(-1), before.at.field);
    say(table.dataset.undone);
  }

  /** Go to the same column some rows on; below the last row there is a new one. */
  function go(row, by) {
    const { row: at, field } = place(), next = rowsOf()[at + by];
    if (next) focus(next, field);
    else if (by > 0) change("add", row, field);
  }

  table.addEventListener("keydown", (event) => {
    const one = event.target, row = one.closest("[data-row]"), { key, altKey, shiftKey } = event;
    if (!row || !one.matches("input, select") || event.isComposing) return;
    const { field } = place(), control = event.ctrlKey || event.metaKey;
    let does = null;
    if (control && !altKey && !shiftKey && key.toLowerCase() === "z") {
      if (states.length && (!held || held.value === one.value)) does = undo;
    } else if (control) {
      return;
    } else if (key === "Enter") {
      does = altKey ? () => change("below", row, 0) : () => go(row, shiftKey ? -1 : 1);
    } else if (altKey && shiftKey && key === "ArrowDown") {
      does = () => change("copy", row, 0);
    } else if (altKey && shiftKey && key === "Delete") {
      does = () => change("remove", row, field);
    } else if (altKey && !shiftKey && /^Arrow(Up|Down)$/.test(key) && one.matches("input")) {
      does = () => change(key === "ArrowUp" ? "up" : "down", row, field);
    }
    if (!does) return;
    event.preventDefault();
    does();
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    const verb = button?.value.split(":")[0];
    if (!button || (button === undoButton ? !states.length : !(table.contains(button) && Object.hasOwn(acts, verb)))) return;
    event.preventDefault();
    if (button === undoButton) undo();
    else change(verb, button.closest("[data-row]"), 0, button);
  });

  table.addEventListener("focusin", ({ target }) => {
    held = target.matches("input, select") ? { one: target, value: target.value, state: state() } : null;
  });
  table.addEventListener("input", retype);
  table.addEventListener("change", ({ target }) => {
    if (held?.one === target) {
      commit();
      held = { one: target, value: target.value, state: state() };
    }
    retype();
  });

  /** Show beside the fields what was understood and what is refused; a field that is being typed in is left in peace. */
  function tell() {
    const told = document.getElementById("told");
    for (const row of rowsOf()) {
      const echo = row.querySelector(".said");
      echo.textContent = told.querySelector(`[data-said="${echo.id}"]`)?.textContent ?? "";
      for (const one of fieldsOf(row)) {
        const wrong = told.querySelector(`[data-wrong="${one.id}"]`), error = `${one.id}-error`;
        if (wrong && one === document.activeElement && held?.value !== one.value) continue;
        document.getElementById(error)?.remove();
        one.toggleAttribute("aria-invalid", false);
        const about = [wrong && error, /-p[59]0$/.test(one.id) && echo.id].filter(Boolean).join(" ");
        if (about) one.setAttribute("aria-describedby", about);
        else one.removeAttribute("aria-describedby");
        if (!wrong) continue;
        one.setAttribute("aria-invalid", "true");
        const shown = Object.assign(document.createElement("span"), { className: "error", id: error });
        shown.append(...wrong.cloneNode(true).childNodes);
        one.parentElement.append(shown);
      }
    }
  }

  document.querySelector("[data-keys]").hidden = false;
  document.addEventListener("htmx:before:request", () => { asked = true; });
  document.addEventListener("htmx:after:swap", () => { if (asked) tell(); });
}
