import { showFieldIssue } from "./show_field_issue.ts";
import { checkedControl, labelOf, validationMessage } from "./validation_message.ts";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** An invalid control's name and label, for the summary above the form. */
export type InvalidControl = readonly [id: string, label: string];

export interface FormCheckOptions {
  /** Called when a form with invalid controls was submitted. */
  onRejected: (form: HTMLFormElement, invalid: InvalidControl[]) => void;
}

/**
 * Shows what is invalid beside each field, instead of the browser's own bubbles: when one leaves a
 * field that one edited, and when the form is submitted. Listens on the document, so it also serves forms
 * that appear later. Returns a function that stops it.
 */
export function checkForms(document: Document, { onRejected }: FormCheckOptions): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  const edited = new WeakSet<Control>();
  let rejected: Control[] = [];

  document.addEventListener("invalid", (event) => {
    if (!isControl(event.target)) return;
    event.preventDefault();
    rejected.push(event.target);
    // A microtask would run between two of these events.
    if (rejected.length === 1) setTimeout(reportRejected);
  }, options);
  /** A submission fires one event for each invalid control, in the form's order. */
  function reportRejected(): void {
    const controls = rejected;
    rejected = [];
    for (const control of controls) showMessage(control);
    const { form } = controls[0]!;
    if (form?.method === "post") {
      onRejected(form, controls.map((control) => [control.id, labelOf(control)]));
    }
    controls[0]!.focus();
  }
  document.addEventListener("input", ({ target }) => {
    if (!isControl(target)) return;
    edited.add(target);
    if (target.dataset.checked !== undefined && target.validity.valid) clearMessage(target);
  }, options);
  document.addEventListener("focusout", ({ target }) => {
    if (!isControl(target) || !target.willValidate || !edited.has(target)) return;
    if (!target.validity.valid) showMessage(target);
  }, options);
  return () => stop.abort();
}

function isControl(target: EventTarget | null): target is Control {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement;
}

let unnamed = 0;

function showMessage(control: Control): void {
  control.id ||= `field-${++unnamed}`;
  control.dataset.checked = "";
  showFieldIssue(control, validationMessage(checkedControl(control)));
}

function clearMessage(control: Control): void {
  delete control.dataset.checked;
  showFieldIssue(control, undefined);
}
