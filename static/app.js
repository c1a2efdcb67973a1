// What pages gain with JavaScript: copy buttons, rows added and removed without a round trip, the table of steps by
// keyboard with undo, a warning before unsaved input is lost, the current tab in view, focus on what went wrong.
// Every page works without it.
"use strict";

const words = document.body.dataset;
const said = document.getElementById("said");

/** Let a screen reader say one short sentence. */
function say(text) {
  said.textContent = "";
  requestAnimationFrame(() => { said.textContent = text; });
}

/** Give each block of code under `root` its Copy button, once. */
function addCopyButtons(root) {
  for (const block of root.querySelectorAll(".code:not([data-ready])")) {
    block.dataset.ready = "";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet copy";
    button.textContent = words.copy;
    block.querySelector(".code-bar").append(button);
  }
}

/** Copy a block's text; where the clipboard is closed, select it so that the keyboard can. */
async function copy(button) {
  const code = button.closest(".code").querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {
    getSelection().selectAllChildren(code);
    return;
  }
  button.textContent = words.copied;
  say(words.copied);
  setTimeout(() => { button.textContent = words.copy; }, 2000);
}

/** Add a row to a repeated fieldset from its template; numbers are never used twice. */
function addRow(rows) {
  const number = rows.dataset.rows;
  rows.dataset.rows = Number(number) + 1;
  const template = rows.querySelector(":scope > template");
  const holder = document.createElement("template");
  holder.innerHTML = template.innerHTML.replaceAll("__n__", number);
  const row = holder.content.firstElementChild;
  template.before(row);
  if (window.htmx) window.htmx.process(row);
  addCopyButtons(row);
  row.querySelector("input:not([type=hidden]), select, textarea")?.focus();
}

/** Remove a row and leave the focus beside it. */
function removeRow(row) {
  const rows = row.closest("[data-rows]");
  const near = row.nextElementSibling?.matches("[data-row]") ? row.nextElementSibling : row.previousElementSibling;
  row.remove();
  const next = near?.matches("[data-row]") ? near.querySelector("[data-remove]") : rows.querySelector("[data-add]");
  next.focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches(".copy")) {
    copy(button);
  } else if (button.matches("[data-add]")) {
    event.preventDefault();
    addRow(button.closest("[data-rows]"));
    touched(button);
  } else if (button.matches("[data-remove]")) {
    event.preventDefault();
    touched(button);
    removeRow(button.closest("[data-row]"));
  }
});

// Unsaved input. A form counts as changed from the first edit until it is sent or reset.
function touched(element) {
  const form = element.closest("form[data-guard]");
  if (form) form.dataset.guard = "changed";
}

document.addEventListener("input", (event) => touched(event.target));
for (const kind of ["submit", "reset"]) {
  document.addEventListener(kind, (event) => {
    if (event.target.dataset.guard) event.target.dataset.guard = "";
  });
}
addEventListener("beforeunload", (event) => {
  if (document.querySelector('form[data-guard="changed"]')) event.preventDefault();
});

// A page or a part of it has arrived.
function arrived(root) {
  addCopyButtons(root);
  root.querySelector("[data-focus]")?.focus();
}

document.addEventListener("htmx:after:swap", () => addCopyButtons(document));
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
arrived(document);
