import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { formValues, isFormChanged } from "./form_values.ts";
import { LiveValidation } from "./live_validation.ts";

/** Typing is stored after this pause. */
const STORE_AFTER_MS = 300;

interface FormWatchOptions {
  /** Undefined for a new agent. */
  agentId: string | undefined;
  /** The page shows unsaved values, of a rejected form or a template. */
  rejected: boolean;
  /** Called after each change. */
  onChange: (isChanged: boolean) => void;
  onIssueCount: (count: number) => void;
  onSubmit: () => void;
  onSignedOut: () => void;
  /** Called shortly after changes, and before the page goes away: the time to store them. */
  onPause: (isChanged: boolean) => void;
  /** Whether the form's values were already saved from this form. */
  isSaved: () => boolean;
}

/** Watches the form and warns before leaving unsaved changes. Returns a function that stops it. */
export function watchForm(form: HTMLFormElement, watch: FormWatchOptions): () => void {
  const stop = new AbortController();
  const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, listener, { signal: stop.signal });
  const checks = new LiveValidation(form, watch);
  const isUnsaved = () => watch.rejected || isFormChanged(form);
  const pause = new Pause(() => watch.onPause(isUnsaved()));
  let leaving = false;
  const refresh = () => {
    // The user navigated back to a form that was saved: sending it again would create a duplicate.
    if (!watch.rejected && isFormChanged(form) && watch.isSaved()) {
      resetForm(form);
      checks.reset();
    }
    watch.onChange(isUnsaved());
    updateBudgetHint(form);
  };
  on(form, "input", (event) => {
    checks.touch(event.target);
    watch.onChange(isUnsaved());
    updateBudgetHint(form);
    pause.restart();
  });
  on(form, "submit", () => {
    leaving = true;
    pause.cancel();
    watch.onSubmit();
  });
  // Links to pages that offer the draft again need no warning.
  on(document, "click", ({ target }) => {
    if (!(target instanceof Element) || target.closest("[data-keeps-draft]") === null) return;
    leaving = true;
    pause.end();
  });
  on(globalThis, "pagehide", () => pause.end());
  on(globalThis, "pageshow", () => {
    leaving = false;
    refresh();
  });
  on(globalThis, "beforeunload", (event) => {
    if (!leaving && isUnsaved()) event.preventDefault();
  });
  refresh();
  return () => {
    stop.abort();
    pause.cancel();
    checks.stop();
  };
}

/** Calls back once after the last of several changes. */
class Pause {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #callback: () => void;

  constructor(callback: () => void) {
    this.#callback = callback;
  }

  restart(): void {
    this.cancel();
    this.#timer = setTimeout(() => this.end(), STORE_AFTER_MS);
  }

  /** Calls back now, if there were changes. */
  end(): void {
    if (this.#timer === undefined) return;
    this.cancel();
    this.#callback();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Resets the form to the page's values, with input events for the islands. */
export function resetForm(form: HTMLFormElement): void {
  form.reset();
  for (const control of form.elements) {
    if (control.getAttribute("name") === null) continue;
    // What an island sets by script is not reset by the browser.
    const isText = control instanceof HTMLTextAreaElement || control instanceof HTMLInputElement;
    if (isText && control.dataset.default !== undefined) control.value = control.dataset.default;
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function updateBudgetHint(form: HTMLFormElement): void {
  const hint = document.getElementById("budget-words");
  const model = form.elements.namedItem("model") as HTMLSelectElement | null;
  const { inputUsd, outputUsd } = model?.selectedOptions[0]?.dataset ?? {};
  if (hint === null) return;
  const { maxCostUsd = "", systemPrompt } = formValues(form);
  hint.textContent = describeBudget({
    price: inputUsd === undefined
      ? undefined
      : { inputUsdPerMTok: Number(inputUsd), outputUsdPerMTok: Number(outputUsd) },
    promptLength: systemPrompt?.length ?? Number(hint.dataset.promptLength),
    maxCostUsd: maxCostUsd.trim() === "" ? NaN : Number(maxCostUsd),
    hardDailyUsd: Number(hint.dataset.hardDailyUsd),
  });
}
