import { isFormChanged } from "./form_values.ts";
import { LiveValidation } from "./live_validation.ts";
import { updateBudgetHint } from "./update_budget_hint.ts";

export interface FormWatchOptions {
  /** The page came with something typed that is not saved. */
  rejected: boolean;
  /** Gets whether the form holds anything unsaved, whenever that may have changed. */
  onChange: (isChanged: boolean) => void;
  /** Gets how many fields need attention, once the server has been asked. */
  onIssueCount: (count: number) => void;
  onSubmit: () => void;
  /** Called when the server was asked and nobody is signed in any more. */
  onSignedOut: () => void;
  /** Whether what the form holds has been saved already, from this very form. */
  isSaved: () => boolean;
}

/** Watches the editor's form until the answer is called, and asks before unsaved changes are left. */
export function watchForm(form: HTMLFormElement, watch: FormWatchOptions): () => void {
  const stop = new AbortController();
  const on = (target: EventTarget, type: string, listener: (event: Event) => void) =>
    target.addEventListener(type, listener, { signal: stop.signal });
  const checks = new LiveValidation(form, watch);
  const isUnsaved = () => watch.rejected || isFormChanged(form);
  let leaving = false;
  const look = () => {
    // Somebody has gone back to a form whose agent is made: sent again it would make a second one.
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
  // What is typed after the sign-out was noticed must not be asked about, nor lost.
  on(form, "click", ({ target }) => {
    if (!(target instanceof Element) || target.closest("[data-sign-in]") === null) return;
    leaving = true;
    watch.onSubmit();
  });
  on(globalThis, "pageshow", () => {
    leaving = false;
    look();
  });
  on(globalThis, "beforeunload", (event) => {
    if (!leaving && isUnsaved()) event.preventDefault();
  });
  look();
  return () => {
    stop.abort();
    checks.stop();
  };
}

/** As the page came; islands hear of it as of anything typed. */
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
