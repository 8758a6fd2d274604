import { type Context, page } from "fresh";
import { type Column, DataTable } from "@/components/DataTable.tsx";
import { Field } from "@/components/Field.tsx";
import { unsavedTitle } from "@/components/FormIssuesNotice.tsx";
import { PageNotice } from "@/components/Notice.tsx";
import { PageHeader } from "@/components/PageHeader.tsx";
import { PostForm } from "@/components/PostForm.tsx";
import { ReauthField, type ReauthFieldProps } from "@/components/ReauthField.tsx";
import { Time } from "@/components/Time.tsx";
import { signedIn } from "@/lib/dashboard/authorization.ts";
import { flashMessageOf, withFlashMessage } from "@/lib/dashboard/flash_messages.ts";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { needsReauthentication, reauthenticate } from "@/lib/dashboard/sign_in/reauthenticate.ts";
import { msg, t } from "@/lib/dashboard/texts/translate.ts";
import { isoTime } from "@/lib/platform/runtime.ts";
import type { Operator } from "@/lib/services/tenants/operators.ts";
import { define, type State } from "@/utils.ts";

const LABELS = { email: msg("Email of a user") };
const REJECTIONS = {
  not_found: msg("No user has this address. Invite them to a team first."),
  unchanged: msg("This user is an operator already."),
  last_operator: msg("The installation needs an operator."),
};

interface Data {
  operators: readonly Operator[];
  /** Id of the reader. */
  me: string;
  now: number;
  email: string;
  issue?: string;
  password: ReauthFieldProps;
}

export const handler = define.handlers({
  async GET(ctx) {
    const password = { asked: needsReauthentication(ctx.state) };
    return page(await dataOf(ctx, { email: "", password }));
  },

  async POST(ctx) {
    const { service } = ctx.state;
    const form = await readForm(ctx.req, service.runtime);
    const email = form.get("email") ?? "";
    const rejected = await reauthenticate(ctx, form);
    if (rejected !== undefined) {
      const password = { asked: true, issue: rejected.message };
      return page(await dataOf(ctx, { email, password }), rejected);
    }
    const granted = await service.operators.grant(email);
    if ("user" in granted) {
      return ctx.redirect(withFlashMessage("/operator/operators", "operator_granted"), 303);
    }
    const issue = t(REJECTIONS[granted.rejected]);
    const data = await dataOf(ctx, { email, issue, password: { asked: false } });
    return page(data, { status: 400 });
  },
});

async function dataOf(
  { state }: Context<State>,
  form: Pick<Data, "email" | "issue" | "password">,
): Promise<Data> {
  const { operators, runtime } = state.service;
  const me = signedIn(state).id;
  return { operators: await operators.list(), me, now: runtime.now(), ...form };
}

export default define.page<typeof handler>(({ data, url }) => {
  const { email, issue, password } = data;
  const issues = { email: issue, own_password: password.issue };
  return (
    <>
      <PageHeader
        title={t("Operators")}
        titlePrefix={unsavedTitle(issues)}
        text={t(
          "Operators manage tenants, plans, models and providers. They can be of any tenant.",
        )}
      />
      <PageNotice notice={flashMessageOf(url)} />
      <div class="sections">
        <DataTable
          caption={t("Operators")}
          columns={columns(data)}
          rows={data.operators}
          rowKey={({ id }) => id}
          url={url}
        />
        <section aria-labelledby="grant">
          <h2 id="grant" class="section-head">{t("Add operator")}</h2>
          <PostForm
            action="/operator/operators"
            class="card narrow stack"
            issues={issues}
            labels={LABELS}
            lead={t("Couldn't add the operator.")}
          >
            <Field
              name="email"
              label={t(LABELS.email)}
              issue={issue}
              help={t("Of any tenant. They see the operator's pages from their next request on.")}
            >
              {(attributes) => <input type="email" {...attributes} value={email} required />}
            </Field>
            <ReauthField {...password} />
            <div class="form-actions">
              <button class="button button-primary" type="submit">{t("Add operator")}</button>
            </div>
          </PostForm>
        </section>
      </div>
    </>
  );
});

function columns({ me, now, operators }: Data): Column<Operator>[] {
  return [
    {
      id: "email",
      heading: msg("Email"),
      cell: ({ id, email }) => (
        <span class="cell-name">
          <span>{email}</span>
          {id === me && <span class="badge">{t("You")}</span>}
        </span>
      ),
    },
    {
      id: "tenant",
      heading: msg("Tenant"),
      cell: ({ tenant, tenantName }) => <a href={`/operator/tenants/${tenant}`}>{tenantName}</a>,
    },
    {
      id: "joined",
      heading: msg("Joined"),
      cell: ({ createdAt }) => <Time at={isoTime(createdAt)} now={now} />,
    },
    ...operators.length > 1 ? [ACTIONS] : [],
  ];
}

/** The last operator keeps the role. */
const ACTIONS: Column<Operator> = {
  id: "actions",
  heading: msg("Actions"),
  isHeadingHidden: true,
  cell: ({ id, email }) => (
    <a
      class="button button-small"
      href={`/operator/operators/${id}`}
      aria-label={t("Remove the operator role of {email}", { email })}
      aria-current="false"
    >
      {t("Remove role")}
    </a>
  ),
};
