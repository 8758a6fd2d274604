import { Field } from "./Field.tsx";

export interface ReauthFieldProps {
  /** Whether the password was given too long ago. */
  asked: boolean;
  fault?: string | undefined;
}

/** Asks for one's own password inside a form that opens doors; nothing while it was given lately. */
export function ReauthField({ asked, fault }: ReauthFieldProps) {
  if (!asked) return null;
  return (
    <Field
      name="own_password"
      label="Your password"
      fault={fault}
      help="Asked again because it was last given more than 15 minutes ago."
    >
      {(attributes) => (
        <input type="password" {...attributes} required autocomplete="current-password" />
      )}
    </Field>
  );
}
