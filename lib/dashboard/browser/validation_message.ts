type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What of a control decides its message; a control has all of it. */
export interface CheckedControl {
  validity: Pick<
    ValidityState,
    | "valueMissing"
    | "typeMismatch"
    | "badInput"
    | "rangeUnderflow"
    | "rangeOverflow"
    | "stepMismatch"
    | "tooLong"
    | "tooShort"
    | "patternMismatch"
  >;
  validationMessage: string;
  type: string;
  label: string;
  min?: string;
  max?: string;
  step?: string;
  minLength?: number;
  maxLength?: number;
  title?: string;
}

/** Says how to mend an invalid control, in the words that the server uses. */
export function validationMessage(control: CheckedControl): string {
  const { validity, type, label } = control;
  if (validity.valueMissing) return missingMessage(type, label);
  if (validity.typeMismatch) {
    return type === "email"
      ? "Enter an e-mail address, like name@example.com."
      : "Enter an address that starts with https://.";
  }
  if (validity.badInput) return type === "date" ? "Enter a whole date." : "Enter a number.";
  if (validity.rangeUnderflow) return `Use ${control.min} or more.`;
  if (validity.rangeOverflow) return `Use ${control.max} or less.`;
  if (validity.stepMismatch) {
    return Number(control.step || 1) === 1
      ? "Use a whole number."
      : `Use steps of ${control.step}.`;
  }
  if (validity.tooShort) return `Use at least ${control.minLength} characters.`;
  if (validity.tooLong) return `Use at most ${control.maxLength} characters.`;
  return control.title || control.validationMessage;
}

function missingMessage(type: string, label: string): string {
  if (type === "file") return "Choose a file.";
  if (type === "radio" || type === "select-one") return "Choose an option.";
  if (type === "checkbox") return "Select this to continue.";
  return `${label} is required.`;
}

/** A control of the page with its label. */
export function checkedControl(control: Control): CheckedControl {
  const { validity, validationMessage, type, title } = control;
  const limits = control instanceof HTMLInputElement
    ? { min: control.min, max: control.max, step: control.step }
    : {};
  const lengths = control instanceof HTMLSelectElement
    ? {}
    : { minLength: control.minLength, maxLength: control.maxLength };
  return {
    validity,
    validationMessage,
    type,
    title,
    label: labelOf(control),
    ...limits,
    ...lengths,
  };
}

/** The label without its marks, such as "optional". */
export function labelOf(control: Control): string {
  const named = control.getAttribute("aria-label");
  if (named !== null) return named;
  const texts = [...control.labels?.[0]?.childNodes ?? []]
    .filter((node) => node.nodeType === Node.TEXT_NODE)
    .map((node) => node.textContent?.trim() ?? "");
  return texts.join(" ").trim() || control.name;
}
