type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A form's fields by name. */
export function formValues(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, normalizeNewlines(String(value))]),
  );
}

/** The same as the page came with them, whatever was typed since. */
export function formDefaults(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...form.elements].filter(isNamed).map((
      control,
    ) => [control.name, normalizeNewlines(defaultValue(control))]),
  );
}

/** Whether a form holds anything else than the page came with. */
export function isFormChanged(form: HTMLFormElement): boolean {
  const now = formValues(form);
  return Object.entries(formDefaults(form)).some(([name, value]) => now[name] !== value);
}

function isNamed(element: Element): element is Control {
  return (element instanceof HTMLInputElement || element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement) && element.name !== "";
}

function defaultValue(control: Control): string {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    return (options.find((option) => option.defaultSelected) ?? options[0])?.value ?? "";
  }
  // An island's control has no default of its own: its text was put there by script.
  return control.dataset.default ?? control.defaultValue;
}

function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
