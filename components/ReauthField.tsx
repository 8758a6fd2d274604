import { createContext } from "preact";
import { useContext } from "preact/hooks";
import PasskeyButton from "@/islands/PasskeyButton.tsx";
import { CodeInput } from "./CodeInput.tsx";
import { Field } from "./Field.tsx";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** What sensitive actions ask the reader of a page for; see `SignedInUser`. */
export const StepUpContext = createContext<"passkey" | "totp" | "password" | "provider">(
  "password",
);

export interface ReauthFieldProps {
  /** The last sign-in or confirmation was too long ago. */
  asked: boolean;
  issue?: string | undefined;
}

/** Asks for the strongest factor of the user in a sensitive form, unless it was proven recently. */
export function ReauthField({ asked, issue }: ReauthFieldProps) {
  const stepUp = useContext(StepUpContext);
  if (!asked) return null;
  switch (stepUp) {
    case "password":
      return <PasswordField issue={issue} />;
    case "totp":
      return <CodeField issue={issue} />;
    case "passkey":
      return <PasskeyField issue={issue} />;
    case "provider":
      return <ProviderField issue={issue} />;
  }
}

function PasswordField({ issue }: Pick<ReauthFieldProps, "issue">) {
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

function CodeField({ issue }: Pick<ReauthFieldProps, "issue">) {
  return (
    <Field
      name="own_password"
      label={t("Code of your authenticator app")}
      issue={issue}
      help={t("Confirm it's you with the current 6 digits, or with a recovery code.")}
    >
      {(attributes) => <CodeInput {...{ attributes }} autocomplete="one-time-code" required />}
    </Field>
  );
}

function PasskeyField({ issue }: Pick<ReauthFieldProps, "issue">) {
  return (
    <div class="stack" role="group" aria-labelledby="own_passkey-label">
      <p id="own_passkey-label" class="prose">{t("Confirm it's you.")}</p>
      <PasskeyButton
        use="get"
        optionsUrl="/account/factors/challenge"
        field="own_passkey"
        label={t("Confirm with passkey")}
      />
      {issue !== undefined && <p class="field-error">{issue}</p>}
      <details>
        <summary>{t("Use a recovery code instead")}</summary>
        <Field name="own_password" label={t("Recovery code")}>
          {(attributes) => <CodeInput {...{ attributes }} autocomplete="off" />}
        </Field>
      </details>
    </div>
  );
}

function ProviderField({ issue }: Pick<ReauthFieldProps, "issue">) {
  const link = (
    <a href="/account#identity-provider">{t("Sign in again at your identity provider")}</a>
  );
  return (
    <>
      <p class="prose">{rich("Confirm it's you. {link}, then repeat this.", { link })}</p>
      {issue !== undefined && <p class="field-error">{issue}</p>}
    </>
  );
}
