// The list of servers: what htmx leaves to the page where filters apply as they change.
"use strict";

let changedSince = false; // something was changed after the last request had been sent

const isOfFilters = (element) => element.closest("#filters") || element.form?.id === "filters";

document.addEventListener("input", (event) => {
  changedSince ||= Boolean(isOfFilters(event.target));
});

document.addEventListener("htmx:beforeRequest", () => {
  changedSince = false;
});

// An older answer would undo what has been changed since: the next request asks for all of it.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (changedSince) {
    event.detail.shouldSwap = false;
  }
});

// The same list again is no step that the back button should take.
document.addEventListener("htmx:beforeHistoryUpdate", (event) => {
  const update = event.detail.history;
  if (update.path === location.pathname + location.search) {
    update.type = "replace";
  }
});

// Where the filters are a drawer, its button leads to what was found.
document.addEventListener("htmx:afterSettle", (event) => {
  const summary = document.querySelector("#filters > details > summary");
  const byButton = event.detail.requestConfig?.triggeringEvent?.type === "submit";
  if (byButton && summary?.checkVisibility() && !document.querySelector("#filters .field-error")) {
    summary.parentElement.open = false;
    summary.focus();
  }
});
