// What is folded away on a screen is shown on paper, save for the audits.
(() => {
  "use strict";
  const folded = document.querySelectorAll("details[data-print]:not([open])");
  addEventListener("beforeprint", () => folded.forEach((each) => { each.open = true; }));
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
