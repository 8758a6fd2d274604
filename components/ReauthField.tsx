import { Field } from "./Field.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ReauthFieldProps {
  /** The last sign-in or confirmation was too long ago. */
  asked: boolean;
  issue?: string | undefined;
}

/** Asks for the user's password in a sensitive form, unless it was given recently. */
export function ReauthField({ asked, issue }: ReauthFieldProps) {
  if (!asked) return null;
  return (
    <Field
      name="own_password"
      label={t("Your password")}
      issue={issue}
      help={t("Confirm it's you. You last entered your password more than 15 minutes ago.")}
    >
      {(attributes) => (
        <input type="password" {...attributes} required autocomplete="current-password" />
      )}
    </Field>
  );
}
