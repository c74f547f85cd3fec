// The quote of the claim that is pointed at or focused, marked in its context. The page works without it.
"use strict";

const originals = new Map();

function restore() {
  for (const [passage, text] of originals) passage.textContent = text;
  originals.clear();
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
}

function show(number) {
  restore();
  for (const element of document.querySelectorAll(`[data-claim="${CSS.escape(number)}"]`)) element.classList.add("pointed");
  const claim = document.getElementById(`claim-${number}`);
  if (claim === null || claim.dataset.context === undefined) return;
  const passage = document.querySelector(`.passage[data-number="${CSS.escape(claim.dataset.context)}"]`);
  if (passage === null) return;
  const text = passage.textContent;
  const characters = Array.from(text); // places count whole characters
  const [start, end] = [Number(claim.dataset.start), Number(claim.dataset.end)];
  originals.set(passage, text);
  const mark = document.createElement("mark");
  mark.textContent = characters.slice(start, end).join("");
  passage.replaceChildren(characters.slice(0, start).join(""), mark, characters.slice(end).join(""));
}

for (const event of ["pointerover", "focusin"]) {
  document.addEventListener(event, (happened) => {
    const claim = happened.target.closest?.("[data-claim]");
    if (claim) show(claim.dataset.claim);
  });
}
document.addEventListener("focusin", (happened) => {
  if (happened.target.matches?.("input.copied")) happened.target.select();
});
