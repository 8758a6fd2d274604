/** Whether a form holds anything else than the page came with. */
export function isChanged(form: HTMLFormElement): boolean {
  return [...form.elements].some((element) => {
    if (element instanceof HTMLSelectElement) {
      return element.name !== "" && element.value !== defaultOf(element);
    }
    const isText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
    if (!isText || element.name === "") return false;
    // An island's control has no default of its own: its text was put there by script.
    return element.value !== (element.dataset.default ?? element.defaultValue);
  });
}

function defaultOf({ options }: HTMLSelectElement): string | undefined {
  return ([...options].find((option) => option.defaultSelected) ?? options[0])?.value;
}

/** Puts what is wrong with a field beneath it as the server's page would, or takes it away. */
export function showFault(control: HTMLElement, name: string, message: string | undefined): void {
  const id = `${name}-fault`;
  const shown = document.getElementById(id);
  if (message === undefined) {
    shown?.remove();
    control.removeAttribute("aria-invalid");
    describe(control, id, false);
    return;
  }
  const place = shown ?? newFault(control, id, document.getElementById(`${name}-help`));
  if (place.textContent !== message) place.textContent = message;
  control.setAttribute("aria-invalid", "true");
  describe(control, id, true);
}

function newFault(control: HTMLElement, id: string, before: HTMLElement | null): HTMLElement {
  const place = document.createElement("p");
  place.className = "fault";
  place.id = id;
  control.closest(".field")?.insertBefore(place, before);
  return place;
}

function describe(control: HTMLElement, id: string, add: boolean): void {
  const ids = (control.getAttribute("aria-describedby") ?? "").split(" ")
    .filter((one) => one !== "" && one !== id);
  const all = add ? [id, ...ids] : ids;
  if (all.length > 0) control.setAttribute("aria-describedby", all.join(" "));
  else control.removeAttribute("aria-describedby");
}
