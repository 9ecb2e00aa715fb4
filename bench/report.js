// Tables sort by a click, or Enter, on a column's title: largest first, then smallest first.
document.querySelectorAll("th").forEach(function (th) {
  th.tabIndex = 0;
  th.title = "sort by this column";
  function sort() {
    var table = th.closest("table"), body = table.tBodies[0];
    var column = Array.prototype.indexOf.call(th.parentNode.children, th);
    var down = th.getAttribute("aria-sort") === "descending";
    function value(row) {
      var cell = row.cells[column];
      if (!cell) return -1;
      return cell.dataset.v !== undefined ? +cell.dataset.v : cell.textContent;
    }
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (a, b) {
      var x = value(a), y = value(b);
      var order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
      return down ? order : -order;
    });
    table.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    th.setAttribute("aria-sort", down ? "ascending" : "descending");
    rows.forEach(function (row) { body.appendChild(row); });
  }
  th.addEventListener("click", sort);
  th.addEventListener("keydown", function (event) { if (event.key === "Enter") sort(); });
});
