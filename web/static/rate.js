// Keys, and the words that the passages share with the sentence that is pointed at. The page works without it.
"use strict";

const form = document.getElementById("rating");
const help = document.getElementById("help");
const helpButton = document.getElementById("help-button");
const reason = document.getElementById("reason");
const passages = [...document.querySelectorAll(".passage")];
const WORD = /[\p{L}\p{N}]{4,}/gu;

// on a phone what is long is folded, so that the answer stands on the first screen
if (matchMedia("(max-width: 800px)").matches) {
  for (const part of document.querySelectorAll("aside > details")) part.open = part.scrollHeight < innerHeight / 4;
}

function toggleHelp() {
  help.hidden = !help.hidden;
  helpButton.setAttribute("aria-expanded", String(!help.hidden));
}

function choose(value) {
  const level = form.querySelector(`input[name="value"][value="${CSS.escape(value)}"]`);
  if (level === null) return;
  level.checked = true;
  level.dispatchEvent(new Event("change", { bubbles: true }));
}

function askForReason() {
  const levels = [...form.querySelectorAll('.level:not(.cannot-tell) input[name="value"]')];
  const isAtEnd = levels.length > 0 && (levels[0].checked || levels.at(-1).checked);
  reason.closest(".reason").classList.toggle("asked", isAtEnd);
}

function clearMarks(passage) {
  for (const mark of passage.querySelectorAll("mark")) mark.replaceWith(mark.textContent);
  passage.normalize();
}

function highlight(sentence) {
  const words = new Set((sentence.match(WORD) ?? []).map((word) => word.toLowerCase()));
  for (const passage of passages) {
    clearMarks(passage);
    const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const text of texts) {
      const parts = [];
      let end = 0;
      for (const match of text.data.matchAll(WORD)) {
        if (!words.has(match[0].toLowerCase())) continue;
        const mark = document.createElement("mark");
        mark.textContent = match[0];
        parts.push(text.data.slice(end, match.index), mark);
        end = match.index + match[0].length;
      }
      if (end > 0) text.replaceWith(...parts, text.data.slice(end));
    }
  }
}

// a sentence over several cells or paragraphs has a box in each
function markWhole(box) {
  for (const other of form.querySelectorAll(`input[name="wrong"][value="${CSS.escape(box.value)}"]`)) {
    other.checked = box.checked;
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.matches("input[type=text], textarea");
  if (event.key === "Escape" && isTyping) event.target.blur();
  if (isTyping) return;
  if (/^[0-9]$/.test(event.key)) choose(event.key);
  else if (event.key === "s") choose("cannot-tell");
  else if (event.key === "u") document.getElementById("undo").requestSubmit();
  else if (event.key === "?") toggleHelp();
  else if (event.key === "Enter" && !event.target.matches("a, button, summary")) form.requestSubmit();
  else return;
  event.preventDefault();
});
helpButton.addEventListener("click", toggleHelp);
form.addEventListener("change", askForReason);
form.addEventListener("change", (event) => event.target.name === "wrong" && markWhole(event.target));
form.addEventListener("submit", () => form.querySelector("button").setAttribute("aria-busy", "true"));
for (const sentence of document.querySelectorAll(".sentence")) {
  for (const event of ["pointerenter", "focusin"]) {
    sentence.addEventListener(event, () => highlight(sentence.textContent));
  }
}
