import { type Context, page } from "fresh";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/server";
import { RecoveryCodes } from "@/components/account/RecoveryCodes.tsx";
import { ErrorView } from "@/components/ErrorView.tsx";
import { Field } from "@/components/Field.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import PasskeyButton from "@/islands/PasskeyButton.tsx";
import { signedInAccount } from "@/lib/dashboard/authorization.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { afterNewFactor } from "@/lib/dashboard/sign_in/after_factor_change.ts";
import { passkeyOrigin, readPasskeyResponse } from "@/lib/dashboard/sign_in/passkey_origin.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { describeDevice } from "@/lib/services/factors/describe_device.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { define, type State } from "@/utils.ts";

const MAX_NAME = 60;
/** Also in the list of factors. */
const NO_PASSKEYS = msg(
  "Browsers offer passkeys only on https with a host name, or on localhost. Open the dashboard there to add one.",
);
const ACTION = "/account/factors/passkeys/new";

interface Data {
  name: string;
  /** Absent until the user has confirmed who they are. */
  options?: PublicKeyCredentialCreationOptionsJSON;
  password: ReauthFieldProps;
  issue?: string;
  /** New recovery codes, once. */
  codes?: string[];
}

/** Adds a passkey: first the confirmation, if it is due, then the browser's dialog. */
export const handler = define.handlers({
  async GET(ctx) {
    return page<Data>(await toData(ctx));
  },

  async POST(ctx) {
    const origin = passkeyOrigin(ctx);
    if (origin === undefined) return await ctx.render(<ErrorView status={404} />, { status: 404 });
    const { passkeys, runtime } = ctx.state.service;
    const form = await readForm(ctx.req, runtime);
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page<Data>({ ...await toData(ctx), password }, rejected);
    }
    const response = readPasskeyResponse(form, "passkey");
    if (response === undefined) return ctx.redirect(ACTION, 303);
    const name = (form.get("name") ?? "").trim().slice(0, MAX_NAME) || t("Passkey");
    const added = await passkeys.add(signedInAccount(ctx.state), { origin, name, response });
    if (added !== "added") {
      const issue = added === "too_many"
        ? t("You have 10 passkeys. Remove one first.")
        : t("The passkey could not be added. Try again.");
      return page<Data>({ ...await toData(ctx), name, issue }, { status: 400 });
    }
    const answer = await afterNewFactor(ctx, { kind: "passkey", notice: "passkey_added" });
    if (answer instanceof Response) return answer;
    return page<Data>({ name, password: { asked: false }, codes: answer }, { status: 201 });
  },
});

async function toData(ctx: Context<State>): Promise<Data> {
  const origin = passkeyOrigin(ctx);
  const asked = origin !== undefined && needsReauthentication(ctx.state);
  const name = describeDevice(ctx.req.headers.get("user-agent"));
  if (origin === undefined || asked) return { name, password: { asked } };
  const { passkeys } = ctx.state.service;
  const options = await passkeys.creationOptions(signedInAccount(ctx.state), origin);
  return { name, options, password: { asked } };
}

export default define.page<typeof handler>(
  ({ data: { name, options, password, issue, codes } }) => {
    if (codes !== undefined) return <RecoveryCodes title={t("Passkey added")} codes={codes} />;
    const issues = { form: issue, own_password: password.issue };
    return (
      <>
        <PageHeader
          title={t("Add passkey")}
          titlePrefix={unsavedTitle(issues)}
          back={{ href: "/account/factors", label: t("Two-factor sign-in") }}
        />
        <PostForm action={ACTION} class="card narrow stack" issues={issues}>
          {options === undefined && !password.asked
            ? <p class="prose">{t(NO_PASSKEYS)}</p>
            : options === undefined
            ? (
              <>
                <ReauthField {...password} />
                <div class="form-actions">
                  <button class="button button-primary" type="submit">{t("Continue")}</button>
                </div>
              </>
            )
            : (
              <>
                <Field
                  name="name"
                  label={t("Name")}
                  help={t("So that you recognize it later: the device or the security key.")}
                >
                  {(attributes) => (
                    <input type="text" {...attributes} value={name} maxLength={MAX_NAME} required />
                  )}
                </Field>
                <PasskeyButton
                  use="create"
                  options={options}
                  field="passkey"
                  label={t("Create passkey")}
                  class="button button-primary"
                  submits
                />
              </>
            )}
        </PostForm>
      </>
    );
  },
);
