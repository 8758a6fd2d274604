import { callDashboard, SignedOutError } from "@/lib/dashboard/call_dashboard.ts";
import { formValues } from "./form_values.ts";

const DEBOUNCE_MS = 500;

type Callbacks = { onIssueCount: (count: number) => void; onSignedOut: () => void };

/** Validates the form on the server shortly after the last change. The newest response counts. */
export class LiveValidation {
  #form: HTMLFormElement;
  #callbacks: Callbacks;
  #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #request = new AbortController();

  constructor(form: HTMLFormElement, callbacks: Callbacks) {
    this.#form = form;
    this.#callbacks = callbacks;
    for (const control of form.querySelectorAll("[aria-invalid]")) {
      this.#touched.add(control.getAttribute("name") ?? "");
    }
  }

  touch(target: EventTarget | null): void {
    const name = target instanceof Element ? target.getAttribute("name") : null;
    if (name === null) return;
    this.#touched.add(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#validate(), DEBOUNCE_MS);
  }

  /** Hides messages again, for a form that was reset. */
  reset(): void {
    clearTimeout(this.#timer);
    this.#touched.clear();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#request.abort();
  }

  /** The form's action ends in the agent's id, if it has one. */
  get #validationPath(): string {
    const path = this.#form.getAttribute("action") ?? "";
    return `/agents/check?agent=${path.slice(path.lastIndexOf("/") + 1)}`;
  }

  async #validate(): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    try {
      const fields = new URLSearchParams(formValues(this.#form));
      const response = await callDashboard(this.#validationPath, fields, signal);
      const { faults: issues } = await response.json() as { faults: Record<string, string> };
      if (!signal.aborted) this.#show(issues);
    } catch (error) {
      // Other errors will show when the form is saved.
      if (error instanceof SignedOutError) this.#callbacks.onSignedOut();
    }
  }

  /** Updates all touched fields, because one field's validity may depend on another. */
  #show(issues: Record<string, string>): void {
    let faulty = 0;
    for (const name of this.#touched) {
      const control = this.#form.elements.namedItem(name);
      if (!(control instanceof HTMLElement)) continue;
      showFieldIssue(control, name, issues[name]);
      if (issues[name] !== undefined) faulty++;
    }
    this.#callbacks.onIssueCount(faulty);
  }
}

/** Shows or removes a field's validation message, as the server would render it. */
function showFieldIssue(control: HTMLElement, name: string, message: string | undefined): void {
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
