/** Shows or removes a field's validation message, as the server would render it. */
export function showFieldIssue(
  control: HTMLElement,
  name: string,
  message: string | undefined,
): void {
  const id = `${name}-fault`;
  const shown = document.getElementById(id);
  setDescribedBy(control, id, message !== undefined);
  if (message === undefined) {
    shown?.remove();
    return control.removeAttribute("aria-invalid");
  }
  const place = shown ?? createIssueElement(control, id, document.getElementById(`${name}-help`));
  if (place.textContent !== message) place.textContent = message;
  control.setAttribute("aria-invalid", "true");
}

function createIssueElement(
  control: HTMLElement,
  id: string,
  before: HTMLElement | null,
): HTMLElement {
  const place = Object.assign(document.createElement("p"), { className: "field-error", id });
  control.closest(".field")?.insertBefore(place, before);
  return place;
}

function setDescribedBy(control: HTMLElement, id: string, add: boolean): void {
  const ids = (control.getAttribute("aria-describedby") ?? "").split(" ")
    .filter((one) => one !== "" && one !== id);
  const all = add ? [id, ...ids] : ids;
  if (all.length > 0) control.setAttribute("aria-describedby", all.join(" "));
  else control.removeAttribute("aria-describedby");
}
