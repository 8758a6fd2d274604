import { callDashboard, SignedOutError } from "@/lib/wire/dashboard_call.ts";
import { valuesOf } from "./form_values.ts";
import { showFault } from "./live_faults.ts";

/** Nothing is checked while somebody types this fast, milliseconds. */
const PAUSE_MS = 500;

/** Asks the server what is wrong, a moment after the last change; the newest answer counts. */
export class LiveChecks {
  #form: HTMLFormElement;
  #told: (faulty: number) => void;
  #signedOut: () => void;
  #touched = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = new AbortController();

  constructor(
    form: HTMLFormElement,
    { faulty, signedOut }: { faulty: (count: number) => void; signedOut: () => void },
  ) {
    this.#form = form;
    this.#told = faulty;
    this.#signedOut = signedOut;
    for (const control of form.querySelectorAll("[aria-invalid]")) {
      this.#touched.add(control.getAttribute("name") ?? "");
    }
  }

  touch(target: EventTarget | null): void {
    const name = target instanceof Element ? target.getAttribute("name") : null;
    if (name === null) return;
    this.#touched.add(name);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  /** Of a form as it came nothing is told. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#touched.clear();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#asked.abort();
  }

  /** Where the form is sent ends in the agent's id, where there is one yet. */
  get #address(): string {
    const path = this.#form.getAttribute("action") ?? "";
    return `/agents/check?agent=${path.slice(path.lastIndexOf("/") + 1)}`;
  }

  async #ask(): Promise<void> {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    try {
      const fields = new URLSearchParams(valuesOf(this.#form));
      const response = await callDashboard(this.#address, fields, signal);
      const { faults } = await response.json() as { faults: Record<string, string> };
      if (!signal.aborted) this.#show(faults);
    } catch (error) {
      // Of anything else saving tells, and why it could not be asked.
      if (error instanceof SignedOutError) this.#signedOut();
    }
  }

  /** A domain may be what a tool lacks: what is told of it may change with any field. */
  #show(faults: Record<string, string>): void {
    let faulty = 0;
    for (const name of this.#touched) {
      const control = this.#form.elements.namedItem(name);
      if (!(control instanceof HTMLElement)) continue;
      showFault(control, name, faults[name]);
      if (faults[name] !== undefined) faulty++;
    }
    this.#told(faulty);
  }
}
