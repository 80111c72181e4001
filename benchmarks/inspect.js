"use strict";
(() => {
  const table = document.getElementById("cases");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const form = document.getElementById("filter");
  const told = document.getElementById("shown");

  function matches(row) {
    for (const select of form.querySelectorAll("select")) {
      if (select.value !== "" && row.dataset[select.name] !== select.value) return false;
    }
    const most = form.elements["worst-from"].value;
    if (most !== "" && Number(row.dataset.worst) < Number(most)) return false;
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = row.textContent.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  function filter() {
    let shown = 0;
    for (const row of rows) {
      row.hidden = !matches(row);
      shown += row.hidden ? 0 : 1;
    }
    told.textContent = `${shown} of ${rows.length} instances shown`;
  }

  function key(row, name) {
    const value = row.dataset[name];
    return name === "worst" ? Number(value) : value;
  }

  function sort(header) {
    const name = header.dataset.sort;
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = (a, b) => (key(a, name) < key(b, name) ? -1 : key(a, name) > key(b, name) ? 1 : 0);
    rows.sort((a, b) => (down ? order(b, a) : order(a, b)) || (a.dataset.name < b.dataset.name ? -1 : 1));
    body.append(...rows);
  }

  for (const header of table.tHead.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => sort(header));
  }
  form.addEventListener("input", filter);
  form.addEventListener("change", filter);
  form.addEventListener("reset", () => setTimeout(filter));
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  filter();
})();
