import { t } from "../texts/translate.ts";

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
      ? t("Enter an email address, like name@example.com.")
      : t("Enter an address that starts with https://.");
  }
  if (validity.badInput) {
    return type === "date" ? t("Enter a complete date.") : t("Enter a number.");
  }
  if (validity.rangeUnderflow) return t("Use {min} or more.", { min: control.min ?? "" });
  if (validity.rangeOverflow) return t("Use {max} or less.", { max: control.max ?? "" });
  if (validity.stepMismatch) {
    return Number(control.step || 1) === 1
      ? t("Use a whole number.")
      : t("Use steps of {step}.", { step: control.step ?? "" });
  }
  if (validity.tooShort) {
    return t("Use at least {minLength} characters.", { minLength: control.minLength ?? "" });
  }
  if (validity.tooLong) {
    return t("Use at most {maxLength} characters.", { maxLength: control.maxLength ?? "" });
  }
  return control.title || control.validationMessage;
}

function missingMessage(type: string, label: string): string {
  if (type === "file") return t("Choose a file.");
  if (type === "radio" || type === "select-one") return t("Choose an option.");
  if (type === "checkbox") return t("Select this to continue.");
  return t("{label} is required.", { label });
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
