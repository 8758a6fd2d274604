type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function formValues(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, normalizeNewlines(String(value))]),
  );
}

/** The fields' initial values, as the page rendered them. */
export function formDefaults(form: HTMLFormElement): Record<string, string> {
  const named = [...form.elements].filter(isNamed);
  return Object.fromEntries(
    named.map((control) => [control.name, normalizeNewlines(defaultValue(control))]),
  );
}

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
  // An island sets its control's text by script, so the default is in a data attribute.
  return control.dataset.default ?? control.defaultValue;
}

function normalizeNewlines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
