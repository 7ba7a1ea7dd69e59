// A cursor over the steps: arrow keys, j and k, Home and End, or a click. Without this script, the page is a table.
(function () {
  "use strict";
  var rows = Array.prototype.slice.call(document.querySelectorAll("tbody tr[id]"));
  var detail = document.getElementById("detail");
  var current = -1;

  function mark(element, isOn) {
    if (element) element.classList.toggle("current", isOn);
  }

  function line(row) {
    return row && row.dataset.l ? document.getElementById(row.dataset.l) : null;
  }

  function arrows(number, isOn) {
    var found = document.querySelectorAll('path[data-a="' + number + '"],path[data-b="' + number + '"]');
    Array.prototype.forEach.call(found, function (path) { path.classList.toggle("on", isOn); });
  }

  function describe(row, number) {
    var step = row.querySelector(".s");
    detail.textContent = "";
    var head = document.createElement("b");
    head.textContent = step ? "step " + number + " of " + (rows.length - 1) : "the end";
    detail.appendChild(head);
    if (step) detail.appendChild(document.createTextNode("  " + step.title));
  }

  function go(index) {
    index = Math.max(0, Math.min(rows.length - 1, index));
    if (index === current) return;
    if (current >= 0) {
      mark(rows[current], false);
      mark(line(rows[current]), false);
      arrows(current + 1, false);
    }
    current = index;
    mark(rows[index], true);
    arrows(index + 1, true);
    describe(rows[index], index + 1);
    rows[index].scrollIntoView({ block: "nearest" });
    var source = line(rows[index]);
    if (source) {
      mark(source, true);
      var panel = source.closest("aside");
      var place = source.getBoundingClientRect(), box = panel.getBoundingClientRect();
      if (place.top < box.top + 80 || place.bottom > box.bottom - 40) {
        panel.scrollTop += place.top - box.top - box.height / 2;
      }
    }
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var to = {
      ArrowDown: current + 1, ArrowRight: current + 1, j: current + 1,
      ArrowUp: current - 1, ArrowLeft: current - 1, k: current - 1,
      PageDown: current + 20, PageUp: current - 20, Home: 0, End: rows.length - 1
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });

  document.addEventListener("click", function (event) {
    var link = event.target.closest('a[href^="#s"]');
    var row = link ? document.getElementById(link.getAttribute("href").slice(1)) : event.target.closest("tbody tr[id]");
    if (!row) return;
    if (link) event.preventDefault();
    go(rows.indexOf(row));
  });

  var asked = rows.indexOf(document.getElementById(location.hash.slice(1)));
  if (asked >= 0) go(asked);
})();
