import type { ControlAttributes } from "./Field.tsx";

export interface CodeInputProps {
  attributes: ControlAttributes;
  /** `off` for recovery codes and first codes, which browsers must not fill in. */
  autocomplete: "one-time-code" | "off";
  required?: boolean;
  autofocus?: boolean;
}

/** A code of an authenticator app, or a recovery code. */
export function CodeInput({ attributes, ...rest }: CodeInputProps) {
  return <input type="text" class="mono" {...attributes} {...rest} spellcheck={false} />;
}
