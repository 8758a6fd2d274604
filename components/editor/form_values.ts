type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A form's fields by name. */
export function valuesOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, normal(String(value))]),
  );
}

/** The same as the page came with them, whatever was typed since. */
export function defaultsOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...form.elements].filter(isNamed).map((control) => [control.name, normal(defaultOf(control))]),
  );
}

/** Whether a form holds anything else than the page came with. */
export function isChanged(form: HTMLFormElement): boolean {
  const now = valuesOf(form);
  return Object.entries(defaultsOf(form)).some(([name, value]) => now[name] !== value);
}

function isNamed(element: Element): element is Control {
  return (element instanceof HTMLInputElement || element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement) && element.name !== "";
}

function defaultOf(control: Control): string {
  if (control instanceof HTMLSelectElement) {
    const options = [...control.options];
    return (options.find((option) => option.defaultSelected) ?? options[0])?.value ?? "";
  }
  // An island's control has no default of its own: its text was put there by script.
  return control.dataset.default ?? control.defaultValue;
}

function normal(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
