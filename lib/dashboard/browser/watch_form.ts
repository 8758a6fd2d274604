import { describeBudget } from "@/lib/dashboard/agents/describe_budget.ts";
import { formValues, isFormChanged } from "./form_values.ts";
import { LiveValidation } from "./live_validation.ts";

interface FormWatchOptions {
  /** The page shows unsaved values of a rejected form. */
  rejected: boolean;
  /** Called after each change. */
  onChange: (isChanged: boolean) => void;
  onIssueCount: (count: number) => void;
  onSubmit: () => void;
  onSignedOut: () => void;
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
  });
  on(form, "submit", () => {
    leaving = true;
    watch.onSubmit();
  });
  // Keep changes made after the sign-out was noticed, without a warning.
  on(form, "click", ({ target }) => {
    if (!(target instanceof Element) || target.closest("[data-sign-in]") === null) return;
    leaving = true;
    watch.onSubmit();
  });
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
    checks.stop();
  };
}

/** Resets the form to the page's values, with input events for the islands. */
function resetForm(form: HTMLFormElement): void {
  form.reset();
  for (const control of form.elements) {
    if (control.getAttribute("name") === null) continue;
    if (control instanceof HTMLTextAreaElement && control.dataset.default !== undefined) {
      control.value = control.dataset.default;
    }
    control.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function updateBudgetHint(form: HTMLFormElement): void {
  const hint = document.getElementById("budget-words");
  const model = form.elements.namedItem("model") as HTMLSelectElement | null;
  const { inputUsd, outputUsd } = model?.selectedOptions[0]?.dataset ?? {};
  if (hint === null) return;
  const { maxCostUsd = "", systemPrompt = "" } = formValues(form);
  hint.textContent = describeBudget({
    price: inputUsd === undefined
      ? undefined
      : { inputUsdPerMTok: Number(inputUsd), outputUsdPerMTok: Number(outputUsd) },
    promptLength: systemPrompt.length,
    maxCostUsd: maxCostUsd.trim() === "" ? NaN : Number(maxCostUsd),
    hardDailyUsd: Number(hint.dataset.hardDailyUsd),
  });
}
