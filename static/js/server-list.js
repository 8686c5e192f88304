// The list of servers: what htmx leaves to the page where filters apply as they change.
"use strict";

let changedSince = false; // something was changed after the last request had been sent
let unanswered = false; // something was changed that the list does not show yet
let filtersChanged = false; // and not only a mark

const isOfFilters = (element) => element.closest("#filters") || element.form?.id === "filters";
const isTheList = (event) => event.detail.target?.id === "results";

document.addEventListener("input", (event) => {
  if (isOfFilters(event.target)) {
    changedSince = true;
    unanswered = true;
    filtersChanged ||= event.target.name !== "compare";
  }
});

document.addEventListener("htmx:beforeRequest", (event) => {
  if (isTheList(event)) {
    changedSince = false;
  }
});

// An older answer would undo what has been changed since: the next request asks for all of it.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (isTheList(event) && changedSince) {
    event.detail.shouldSwap = false;
  }
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (isTheList(event)) {
    unanswered = false;
    filtersChanged = false;
    showFailure(false);
  }
});

// --- no answer at all, or an error ---

const showFailure = (failed) => {
  const note = document.getElementById("not-loaded");
  note.hidden = !failed;
  if (failed) {
    document.getElementById("live").textContent = note.querySelector("p").textContent;
  }
};

for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
  document.addEventListener(failure, (event) => {
    if (isTheList(event)) {
      showFailure(true);
    }
  });
}

// --- a link followed before the answer: what was changed goes along ---

// Pages, orders, chips and files of the list, and its languages.
const CARRIERS = '#results :is(a[href^="?"], a[download], a[data-plain]), #languages a';

// The query of the list that was asked for. A number that nobody touched stays as the address has it.
const wantedOf = (shown) => {
  const form = document.getElementById("filters");
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    const field = form.elements[name];
    const kept = field.type === "text" && field.value === field.defaultValue && shown.get(name);
    if (value !== "") {
      query.append(name, kept || value);
    }
  }
  if (!filtersChanged && shown.has("page")) {
    query.set("page", shown.get("page"));
  }
  return query;
};

// What a link changes of the list that is shown, it changes of the list that was asked for.
const carriedAlong = (link, shown, wanted) => {
  const query = new URLSearchParams(wanted);
  for (const [name, value] of shown) {
    if (!link.has(name, value)) {
      query.delete(name, value);
    }
  }
  for (const [name, value] of link) {
    if (!shown.has(name, value)) {
      query.set(name, value);
    }
  }
  if (filtersChanged) {
    query.delete("page"); // it was a page of another list
  }
  return query;
};

// Of a link that clears the filters, only marks and order are left.
const cleared = (wanted) => {
  const query = new URLSearchParams();
  for (const [name, value] of wanted) {
    if (["compare", "sort"].includes(name)) {
      query.append(name, value);
    }
  }
  return query;
};

const leadingOn = (link, shown, wanted) => {
  link.dataset.plain ??= link.href;
  const target = new URL(link.dataset.plain);
  if (link.dataset.to) { // the server makes answers of filters
    target.pathname = location.pathname;
    target.search = wanted;
    target.searchParams.set("to", link.dataset.to);
  } else if (link.hasAttribute("data-clears")) {
    target.search = cleared(wanted);
  } else if (link.matches(CARRIERS)) {
    target.search = carriedAlong(target.searchParams, shown, wanted);
  }
  return target;
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("#results a[href], #languages a");
  if (!link || !unanswered) {
    return;
  }
  const shown = new URLSearchParams(location.search);
  const wanted = wantedOf(shown);
  link.href = leadingOn(link, shown, wanted);
  if (!link.hasAttribute("download")) {
    // The way back leads to what was changed, too: a step of its own, as after an answer.
    const keep = filtersChanged ? "pushState" : "replaceState";
    history[keep]({ htmx: true }, "", `${location.pathname}?${wanted}`);
  }
});

// The comparison is another page: sent by htmx while a list is on its way, the form would forget the button.
document.addEventListener("click", (event) => {
  const button = event.target.closest('button[form="filters"][name="to"]');
  if (button) {
    event.preventDefault();
    const wanted = wantedOf(new URLSearchParams(location.search));
    wanted.set("to", button.value);
    location.assign(`${location.pathname}?${wanted}`);
  }
});

// --- history and focus ---

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
