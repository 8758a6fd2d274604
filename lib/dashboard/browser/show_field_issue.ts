/** Shows or removes a control's validation message, as the server would render it. */
export function showFieldIssue(control: HTMLElement, message: string | undefined): void {
  const id = `${control.id}-fault`;
  const shown = document.getElementById(id);
  setDescribedBy(control, id, message !== undefined);
  if (message === undefined) {
    shown?.remove();
    return control.removeAttribute("aria-invalid");
  }
  const place = shown ?? createIssueElement(control, id);
  if (place.textContent !== message) place.textContent = message;
  control.setAttribute("aria-invalid", "true");
}

/** Before the field's help; without a field, after the control. */
function createIssueElement(control: HTMLElement, id: string): HTMLElement {
  const place = Object.assign(document.createElement("p"), { className: "field-error", id });
  const field = control.closest(".field");
  const help = document.getElementById(`${control.id}-help`);
  if (field !== null) field.insertBefore(place, help?.parentElement === field ? help : null);
  else (control.closest("label") ?? control).after(place);
  return place;
}

function setDescribedBy(control: HTMLElement, id: string, add: boolean): void {
  const ids = (control.getAttribute("aria-describedby") ?? "").split(" ")
    .filter((one) => one !== "" && one !== id);
  const all = add ? [id, ...ids] : ids;
  if (all.length > 0) control.setAttribute("aria-describedby", all.join(" "));
  else control.removeAttribute("aria-describedby");
}
