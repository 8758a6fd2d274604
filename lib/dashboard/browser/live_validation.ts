import { callDashboard, SignedOutError } from "@/lib/dashboard/call_dashboard.ts";
import type { ToolReport } from "@/lib/dashboard/agents/tool_problem.ts";
import { formValues } from "./form_values.ts";
import { showFieldIssue } from "./show_field_issue.ts";

const DEBOUNCE_MS = 500;

/** Event of the form; its `detail` is the `ToolReport` of its tools. */
export const TOOL_REPORT = "toolreport";

/** Response of `POST /agents/check`. */
interface CheckReport {
  faults: Record<string, string>;
  toolReport: ToolReport;
}

type Callbacks = {
  /** Undefined for a new agent. */
  agentId: string | undefined;
  onIssueCount: (count: number) => void;
  onSignedOut: () => void;
};

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

  async #validate(): Promise<void> {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    try {
      const fields = new URLSearchParams(formValues(this.#form));
      const path = `/agents/check?agent=${this.#callbacks.agentId ?? "new"}`;
      const response = await callDashboard(path, fields, signal);
      const { faults, toolReport } = await response.json() as CheckReport;
      if (signal.aborted) return;
      this.#show(faults);
      this.#form.dispatchEvent(new CustomEvent(TOOL_REPORT, { detail: toolReport }));
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
      showFieldIssue(control, issues[name]);
      if (issues[name] !== undefined) faulty++;
    }
    this.#callbacks.onIssueCount(faulty);
  }
}
