// A click on the head of a column sorts the table by it; a second click turns the order round.
function sortBy(table, column, head) {
  const turned = head.getAttribute("aria-sort") === "ascending";
  const key = (row) => row.cells[column].textContent.trim();
  const rows = [...table.tBodies[0].rows];
  rows.sort((a, b) => key(a).localeCompare(key(b), "en", { numeric: true }) * (turned ? -1 : 1));
  table.tBodies[0].append(...rows);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", turned ? "descending" : "ascending");
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent.trim();
    button.addEventListener("click", () => sortBy(table, column, head));
    head.replaceChildren(button);
  });
}

// A formula in a line that is wider than the page gets a box of its own, as displayed ones have.
function boxWideFormulas() {
  const width = document.querySelector("article").clientWidth;
  for (const formula of document.querySelectorAll("mjx-container:not([display])")) {
    formula.classList.toggle("wide", formula.firstElementChild.getBoundingClientRect().width > width);
  }
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("#the-ledger table").forEach(makeSortable));
window.addEventListener("load", () => window.MathJax?.startup?.promise?.then(boxWideFormulas));
window.addEventListener("resize", boxWideFormulas);
