import type { ComponentChildren } from "preact";
import { AuthCard } from "./AuthCard.tsx";
import { NewPasswordInput } from "./NewPasswordInput.tsx";
import { Field } from "./Field.tsx";
import { unsavedTitle } from "./FormIssuesNotice.tsx";
import { PostForm } from "./PostForm.tsx";
import { msg, rich, t } from "@/lib/dashboard/texts/translate.ts";

const LABELS = { password: msg("New password") };

export interface ChoosePasswordProps {
  title: string;
  text: string;
  action: string;
  /** The one-time token of the link. */
  token: string;
  email: string;
  submit: string;
  error?: string | undefined;
  passwordError?: string | undefined;
  /** Below the form. */
  children?: ComponentChildren;
}

/** The page of a one-time link, where an account's password is chosen. */
export function ChoosePassword(props: ChoosePasswordProps) {
  const issues = { form: props.error, password: props.passwordError };
  return (
    <AuthCard title={props.title} text={props.text} titlePrefix={unsavedTitle(issues)}>
      <PostForm action={props.action} class="stack" noValidate {...{ issues, labels: LABELS }}>
        <input type="hidden" name="token" value={props.token} />
        <Field name="email" label={t("Email")}>
          {(attributes) => (
            <input
              type="email"
              {...attributes}
              value={props.email}
              readOnly
              autocomplete="username"
            />
          )}
        </Field>
        <Field
          name="password"
          label={LABELS.password}
          focused
          issue={props.passwordError}
          help={props.passwordError === undefined && t("At least 10 characters.")}
        >
          {(attributes) => <NewPasswordInput attributes={attributes} />}
        </Field>
        <button class="button button-primary button-wide" type="submit">{props.submit}</button>
      </PostForm>
      {props.children}
    </AuthCard>
  );
}

/** The same text for an invalid, used, revoked or expired link, so that it reveals nothing. */
export function ExpiredLink() {
  return (
    <AuthCard
      title={t("This link has expired")}
      text={t("It was already used, or it is too old. Ask the person who sent it for a new link.")}
    >
      <p class="prose">
        {rich("Already have an account? {link}, then open the link again.", {
          link: <a href="/sign-in">{t("Sign in")}</a>,
        })}
      </p>
    </AuthCard>
  );
}
