// The quote of the claim that is pointed at or focused, marked in its context. The page works without it.
"use strict";

function show(number) {
  for (const element of document.querySelectorAll(".pointed")) element.classList.remove("pointed");
  const name = CSS.escape(number);
  for (const element of document.querySelectorAll(`[data-claim="${name}"], [data-quotes~="${name}"]`)) {
    element.classList.add("pointed");
  }
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
