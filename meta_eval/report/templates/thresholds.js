// Puts the figures of the chosen threshold in their places; they were worked out when the report was made.
(() => {
  "use strict";
  const held = document.getElementById("thresholds");
  const slider = document.getElementById("threshold");
  if (held && slider) {
    const { figures } = JSON.parse(held.textContent);
    const line = document.getElementById("line");
    const show = () => {
      const found = figures[Number(slider.value)];
      document.getElementById("at").textContent = found.at;
      slider.setAttribute("aria-valuetext", found.at);
      for (const cell of document.querySelectorAll("[data-figure]")) cell.textContent = found[cell.dataset.figure];
      for (const end of ["x1", "x2"]) line.setAttribute(end, `${found.place}%`);
    };
    slider.disabled = false;
    slider.addEventListener("input", show);
    show(); // a browser that reloads keeps the slider where it was
  }
  // What is folded away on a screen is shown on paper, save for the audits.
  const folded = document.querySelectorAll("details[data-print]:not([open])");
  addEventListener("beforeprint", () => folded.forEach((each) => { each.open = true; }));
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
