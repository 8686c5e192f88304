// Memory and power of all cards of a GPU option, while they are typed. Without this, they show after saving.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const data = document.getElementById("card-figures");
  if (!data) {
    return;
  }
  const figures = JSON.parse(data.textContent);

  // The form of one option: the whole page, or one line of a variant's page.
  const boxOf = (input) => input.closest("tr.form-row") || input.closest("form");

  // As the server reads it: by the habits of the editor's language.
  const GROUP_SIGNS = { es: ".", en: "," };
  const read = (text) => {
    const plain = text.replace(/\s/g, "");
    const sign = GROUP_SIGNS[document.documentElement.lang.slice(0, 2)];
    const grouped = sign && new RegExp(`^\\d{1,3}(\\${sign}\\d{3})+$`).test(plain);
    return Number(grouped ? plain.replaceAll(sign, "") : plain.replace(",", "."));
  };

  const number = (box, name) => {
    const input = box.querySelector(`[name$="${name}"]`);
    return input && input.value.trim() ? read(input.value) : 0;
  };

  const show = (box, name, text) => {
    const place = box.querySelector(`.fieldBox.field-${name} .readonly, td.field-${name} p`);
    if (place) {
      place.textContent = text;
      place.setAttribute("aria-live", "polite");
    }
  };

  const update = (box) => {
    const gpu = figures[number(box, "gpu")];
    const cards = number(box, "max_count") || number(box, "min_count");
    if (!gpu || !Number.isInteger(cards) || cards < 1) {
      show(box, "memory", "-");
      show(box, "power_w", "-");
      return;
    }
    const devices = cards * gpu.devices;
    const usable = gpu.usable === null ? "" : `, ${Math.round(devices * gpu.usable)}\u202f${figures.units.gib}`;
    show(box, "memory", `${devices} × ${gpu.memory}\u202f${figures.units.gb}${usable}`);
    const watts = number(box, "card_power_cap_w") || gpu.watts;
    show(box, "power_w", watts ? String(watts * cards) : "-");
  };

  // Through jQuery: the list of GPUs tells of its changes in no other way.
  window.django.jQuery(document).on("input change", "input, select", (event) => {
    if (/(gpu|min_count|max_count|card_power_cap_w)$/.test(event.target.name || "")) {
      update(boxOf(event.target));
    }
  });
});
